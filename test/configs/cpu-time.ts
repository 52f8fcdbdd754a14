/** Counts the milliseconds this thread computes from now on: other programs on the machine do not count. */
export function cpuTime(): () => number {
  const usage = process.threadCpuUsage?.bind(process) ?? process.cpuUsage.bind(process);
  const before = usage();
  return () => {
    const spent = usage();
    return (spent.user + spent.system - before.user - before.system) / 1000;
  };
}
