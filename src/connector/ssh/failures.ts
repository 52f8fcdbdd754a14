import { KubexmError, kubexmError } from '../../model/errors/index.ts';
import type { Target } from '../target.ts';

/** Turns what the socket or the SSH library reported into an error a person can act on. */
export function connectFailure(target: Target, error: Error, seconds: number): KubexmError {
  if (error instanceof KubexmError) return error;
  const { name: host, address, port } = target;
  const more = { cause: error, host };
  const { code, level } = error as NodeJS.ErrnoException & { level?: string };
  const first = (error as AggregateError).errors?.[0] as NodeJS.ErrnoException | undefined;
  switch (code ?? first?.code) {
    case 'ECONNREFUSED':
      return kubexmError('KX3001', { host, address, port }, more);
    case 'ETIMEDOUT':
      return kubexmError('KX3002', { host, address, port, seconds }, more);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
      return kubexmError('KX3003', { host, address }, more);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return kubexmError('KX3016', { host, address, port, reason: error.message || String(first?.message) }, more);
  }
  if (level === 'client-timeout') return kubexmError('KX3002', { host, address, port, seconds }, more);
  return kubexmError('KX3014', { host, address, port, reason: error.message }, more);
}
