/** What a step tells beside its value. */
export type StepReport =
  /** Something stays on the machine that undoing the step was to take away, and why. */
  { readonly type: 'left'; readonly text: string };

/**
 * How a script ends that undoes nothing because what is there is not its own (`kx_leave`). It has then reported what is left: for
 * `reset` that is an end, for a rollback it is a failure.
 */
export const LEFT_CODE = 65;
