import type { Change } from '../../../plan/diff.ts';
import { invalid } from './path.ts';

/** A mode as octal digits and an owner as `user`, `user:group` or `:group`, by name or by number. */
export interface Ownership {
  readonly mode?: string;
  readonly owner?: string;
}

/** Mode and owner as a machine has them. */
export interface SeenOwnership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly user: string;
  readonly group: string;
}

/** Octal digits as a number: `0644`. */
export function parseMode(mode: string): number {
  if (!/^0?[0-7]{3,4}$/.test(mode)) throw invalid(`the mode ${JSON.stringify(mode)} is not 3 or 4 octal digits`);
  return Number.parseInt(mode, 8);
}

/** A mode as it is shown and given to chmod: `0644`. */
export function modeText(mode: number): string {
  return `0${mode.toString(8).padStart(3, '0')}`;
}

/** The two parts of an owner; a missing part is left as it is. */
export function parseOwner(owner: string): { readonly user: string | undefined; readonly group: string | undefined } {
  const match = /^([^:\s]+)?(?::([^:]+))?$/.exec(owner);
  if (match === null || owner === '' || /[\0\n]/.test(owner) || owner.startsWith('-')) {
    throw invalid(`the owner ${JSON.stringify(owner)} is not user:group`);
  }
  return { user: match[1], group: match[2] };
}

/** Whether the owner is as wanted. */
export function sameOwner(seen: SeenOwnership, owner: string | undefined): boolean {
  if (owner === undefined) return true;
  const { user, group } = parseOwner(owner);
  return sameName(user, seen.user, seen.uid) && sameName(group, seen.group, seen.gid);
}

/** Whether the mode is as wanted. */
export function sameMode(seen: SeenOwnership, mode: string | undefined): boolean {
  return mode === undefined || seen.mode === parseMode(mode);
}

/** What will change about mode and owner; everything that is wanted when nothing is there yet. */
export function ownershipDiff(seen: SeenOwnership | undefined, want: Ownership): readonly Change[] {
  const changes: Change[] = [];
  if (want.mode !== undefined && (seen === undefined || !sameMode(seen, want.mode))) {
    changes.push({ what: 'mode', ...(seen && { from: modeText(seen.mode) }), to: modeText(parseMode(want.mode)) });
  }
  if (want.owner !== undefined && (seen === undefined || !sameOwner(seen, want.owner))) {
    changes.push({ what: 'owner', ...(seen && { from: ownerText(seen, want.owner) }), to: want.owner });
  }
  return changes;
}

function sameName(wanted: string | undefined, name: string, id: number): boolean {
  if (wanted === undefined) return true;
  return /^[0-9]+$/.test(wanted) ? Number(wanted) === id : wanted === name;
}

function ownerText(seen: SeenOwnership, like: string): string {
  return /^[0-9:]+$/.test(like) ? `${seen.uid}:${seen.gid}` : `${seen.user}:${seen.group}`;
}
