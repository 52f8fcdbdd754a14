/** Gates that seeds name and that no supported version knows any more: since when they are always on. */
export const ALWAYS_ON_GATES: Readonly<Record<string, string>> = {
  CSIStorageCapacity: '1.24',
  ExpandCSIVolumes: '1.24',
  TTLAfterFinished: '1.23',
};

/** The gates that components still know: a kubelet that is told an unknown one refuses to start. */
export function livingGates(gates: Readonly<Record<string, boolean>>): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Object.entries(gates).filter(([gate]) => !Object.hasOwn(ALWAYS_ON_GATES, gate)));
}
