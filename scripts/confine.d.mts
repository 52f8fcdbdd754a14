/** The command with a link `cni0` and a route beside it, in a network of their own: it fails if they are gone when it ends. */
export function withPlantedLink(command: readonly string[]): string[];

/** The command in namespaces of its own; as it is where it is not root's; undefined where root cannot have any. */
export function confined(
  command: readonly string[],
  root: string,
  scratch: string,
  say: (text: string) => void,
  options?: { readonly network?: boolean; readonly home?: string; readonly writable?: readonly string[] },
): string[] | undefined;
