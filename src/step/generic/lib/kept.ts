/** A file of the machine kubexm runs on, named by what is in it. A type, not an interface, so that it is Json too. */
export type Kept = {
  readonly path: string;
  readonly sha256: string;
};
