import { type ErrorCode, KubexmError } from './index.ts';

/** A host key that changed, was revoked or was not accepted; a lock that belongs to another run by now. */
const REFUSED: readonly ErrorCode[] = ['KX3005', 'KX3006', 'KX3007', 'KX3027', 'KX3028', 'KX3029', 'KX3103'];
/** A host that a bastion does not lead to: its cause tells why. */
const THROUGH_BASTION: ErrorCode = 'KX3013';

/** Whether a host must be left alone from now on: waiting does not help, and trying again could reach somebody else's machine. */
export function isRefusedHost(error: unknown): boolean {
  if (!(error instanceof KubexmError)) return false;
  return error.code === THROUGH_BASTION ? isRefusedHost(error.cause) : REFUSED.includes(error.code);
}
