import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSmallPki } from '../../../test/rig/certificate-run.ts';
import { openssl } from '../../../test/rig/foreign-ca.ts';
import { program } from '../../../test/rig/programs.ts';
import { some } from '../../../test/rig/thorough.ts';

/** The files in the order they get their names. */
const FILES = ['ca.key', 'ca.crt', 'member.key', 'member.crt', 'sa.key', 'sa.pub'];
const points = FILES.flatMap((name, i) => [
  { point: `before ${name}`, count: i + 1, when: 'before', there: FILES.slice(0, i) },
  { point: `after ${name}`, count: i + 1, when: 'after', there: FILES.slice(0, i + 1) },
]);

test.each(some(points, 4))(
  'killed right $point gets its name, the next run finishes',
  async ({ count, when, there }) => {
    const dir = mkdtempSync(join(tmpdir(), 'kubexm-certificates-'));
    const certs = join(dir, 'certs', 'etcd');
    try {
      const { signal } = spawnSync(process.execPath, [program('certificate-run'), dir, String(count), when]);
      expect(signal).toBe('SIGKILL');
      const left = readdirSync(certs);
      expect(left.filter((name) => !name.startsWith('.kubexm-'))).toEqual([...there].sort());
      for (const name of left) expect(statSync(join(certs, name)).mode & 0o777, name).toBe(0o600);
      // What others may have been given already stays.
      const kept = there.filter((name) => /^(ca|sa)\.key$|^ca\.crt$/.test(name));
      const before = kept.map((name) => readFileSync(join(certs, name), 'utf8'));

      await makeSmallPki(dir);
      expect(kept.map((name) => readFileSync(join(certs, name), 'utf8'))).toEqual(before);
      expect(readdirSync(certs)).toEqual([...FILES].sort());
      openssl('verify', '-x509_strict', '-CAfile', join(certs, 'ca.crt'), join(certs, 'member.crt'));
      const ofKey = openssl('pkey', '-in', join(certs, 'member.key'), '-pubout');
      expect(openssl('x509', '-in', join(certs, 'member.crt'), '-noout', '-pubkey')).toBe(ofKey);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
);

test.each(['777', '000', '077'])('with the umask %s only the owner gets in', async (digits) => {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-certificates-'));
  const usual = process.umask(Number.parseInt(digits, 8));
  try {
    await makeSmallPki(dir);
  } finally {
    process.umask(usual);
  }
  const modes = ['certs', 'certs/etcd', ...FILES.map((name) => `certs/etcd/${name}`)].map((name) =>
    (statSync(join(dir, name)).mode & 0o777).toString(8),
  );
  rmSync(dir, { recursive: true, force: true });
  expect(modes).toEqual(['700', '700', ...FILES.map(() => '600')]);
});
