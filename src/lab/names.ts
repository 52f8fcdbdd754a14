import { createHash } from 'node:crypto';

/** Linux allows no longer names for links. */
export const LINK_NAME_MAX = 15;
/** So that `NAME-254` is still a host name, and a link's name says something. */
const LAB_NAME_MAX = 40;
const SHORT_MAX = 8;

/** The most machines a lab can have: addresses of a /24 without the box's and the ends. */
export const MACHINES_MAX = 250;

/** Whether a lab may be called so. */
export function isLabName(name: string): boolean {
  return name.length <= LAB_NAME_MAX && /^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name);
}

/** Whether a user may be called so: what useradd takes on Debian. */
export function isUserName(name: string): boolean {
  return /^[a-z_][a-z0-9_-]{0,30}$/.test(name);
}

/** Machine and host name. */
export function machineName(lab: string, index: number): string {
  return `${lab}-${index}`;
}

/** What the box's link to a lab is called, without the lab's name where that is too long or taken: then `salt` makes it unique. */
export function linkName(lab: string, salt = ''): string {
  const hash = createHash('sha256').update(`${lab} ${salt}`).digest('hex');
  const plain = lab.length <= SHORT_MAX && salt === '';
  return `kx-${plain ? lab : `${lab.slice(0, 4).replace(/-+$/, '')}${hash.slice(0, 4)}`}`;
}

const KINDS = { machine: 0, host: 1, box: 2 } as const;

/** A hardware address of a lab: locally administered, and by the lab's id nobody else's. */
export function macAddress(id: string, kind: keyof typeof KINDS, index: number): string {
  const bytes = [id.slice(0, 2), id.slice(2, 4), id.slice(4, 6), hex(KINDS[kind]), hex(index)];
  return ['02', ...bytes].join(':');
}

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}
