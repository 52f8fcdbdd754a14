import { readFileSync } from 'node:fs';

/** The first process of a machine among its processes: the one that is 1 in the namespace right below ours. */
export function firstProcess(
  pids: readonly number[],
  status: (pid: number) => string = readStatus,
): number | undefined {
  return pids.find((pid) => {
    const ids = /^NSpid:\s+(.*)$/m.exec(status(pid))?.[1]?.split(/\s+/) ?? [];
    return ids.length === 2 && ids[1] === '1';
  });
}

/** Whether somebody listens on a port, by the text of /proc/PID/net/tcp or tcp6; with `everywhere`, on all addresses. */
export function hasListener(text: string, port: number, everywhere = false): boolean {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  return text.split('\n').some((line) => {
    const [, where = '', , state] = line.trim().split(/\s+/);
    const [address = '', at] = where.split(':');
    return state === '0A' && at === local && (!everywhere || /^0+$/.test(address));
  });
}

/** Whether a machine's SSH server listens, seen past its network. */
export function listensOnSsh(pid: number): boolean {
  return ['tcp', 'tcp6'].some((name) => hasListener(read(`/proc/${pid}/net/${name}`), 22));
}

function readStatus(pid: number): string {
  return read(`/proc/${pid}/status`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
