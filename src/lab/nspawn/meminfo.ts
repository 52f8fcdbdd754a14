const NOTHING_SWAPPED = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';
/** What a machine that has just booted has in use. */
const USED_KB = 64 * 1024;
/** Sizes of the processor's and the kernel's, whatever memory there is. */
const FIXED = /^(Vmalloc|DirectMap|Hugepagesize)/;

/** /proc/swaps of a machine: whatever the box swaps to is not the machine's. */
export function swapsText(): string {
  return NOTHING_SWAPPED;
}

/** /proc/meminfo of a machine of that size, made from the box's. */
export function meminfoText(box: string, memoryBytes: number): string {
  const total = Math.floor(memoryBytes / 1024);
  const free = Math.max(0, total - USED_KB);
  const own: Readonly<Record<string, number>> = {
    MemTotal: total,
    MemFree: free,
    MemAvailable: free,
    SwapCached: 0,
    SwapTotal: 0,
    SwapFree: 0,
    CommitLimit: Math.floor(total / 2),
  };
  const share = total / Number(/^MemTotal:\s+(\d+)/m.exec(box)?.[1] ?? total);
  return box.replace(
    /^(\w[^:\n]*):([ \t]+)(\d+)( kB)$/gm,
    (line, name: string, gap: string, value: string, unit: string) => {
      if (FIXED.test(name)) return line;
      const mine = own[name] ?? Math.floor(Number(value) * share);
      return `${name}:${String(mine).padStart(gap.length + value.length)}${unit}`;
    },
  );
}
