/** Clocks of machines differ: a certificate is valid from a little before it was made. */
const BACKDATED_MS = 5 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** From when until when. */
export interface Period {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The time for which a certificate made now is valid: never outside that of its CA. */
export function periodFor(now: Date, days: number, issuer?: Period): Period {
  const from = now.getTime() - BACKDATED_MS;
  const to = now.getTime() + days * DAY_MS;
  return {
    notBefore: wholeSecond(Math.max(from, issuer?.notBefore.getTime() ?? from)),
    notAfter: wholeSecond(Math.min(to, issuer?.notAfter.getTime() ?? to)),
  };
}

/**
 * Whether it is time for a new certificate: fewer days are left than wanted, and a new one would last longer by a day. One that
 * ends with its CA is not made again and again.
 */
export function isDue(
  period: Period,
  now: Date,
  { days, renewBeforeDays, issuer }: { days: number; renewBeforeDays: number; issuer: Period },
): boolean {
  if (now < period.notBefore) return true;
  const left = period.notAfter.getTime() - now.getTime();
  if (left >= renewBeforeDays * DAY_MS) return false;
  return periodFor(now, days, issuer).notAfter.getTime() - period.notAfter.getTime() >= DAY_MS || left <= 0;
}

/** Whether a certificate is over, or not valid yet. */
export function isOutside(period: Period, now: Date): boolean {
  return now < period.notBefore || now > period.notAfter;
}

function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000);
}
