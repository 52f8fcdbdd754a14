import { expect, test } from 'vitest';
import { MemoryHost, MemoryMachine } from '../../test/rig/memory/memory.ts';
import { output } from '../model/host.ts';
import { parseManifest, readManifest, readManifestOwner } from './manifest.ts';

const SHOWN = `u1 prod
image 000001/1
image 000003/2
==> 000001/meta <==
{"node":"a/b","run":"r1","at":"t","kind":"file","title":"file /etc/a","names":[],"effects":[]}

==> 000002/meta <==
{"node":"a/c","run":"r1","at":"t","kind":"service","title":"s","names":["service:s"],"effects":[],"want":{},"before":null}

==> 000003/meta <==
{"node":"a/d","run":"r2","at":"t","kind":"extract","title":"x","names":[],"effects":[]}
==> 000001/1/path <==
/etc/a

==> 000003/1/path <==
/opt/odd
name

==> 000003/2/path <==
/opt/b
`;

test('a manifest is read with its entries in order, odd names and all', () => {
  const manifest = parseManifest(SHOWN);
  expect(manifest).toMatchObject({ uid: 'u1', cluster: 'prod' });
  expect(manifest?.entries.map(({ seq, paths }) => [seq, paths])).toEqual([
    ['000001', [{ path: '/etc/a', existed: true }]],
    ['000002', []],
    [
      '000003',
      [
        { path: '/opt/odd\nname', existed: false },
        { path: '/opt/b', existed: true },
      ],
    ],
  ]);
  expect(parseManifest('')).toBeUndefined();
  expect(parseManifest('u1 prod\n')).toEqual({ uid: 'u1', cluster: 'prod', entries: [] });
});

test('what cannot be read is an error that names the host', async () => {
  const machine = (stdout: string, code = 0) => {
    const answer = () => output(code, stdout, code === 0 ? '' : 'Input/output error\n');
    return new MemoryMachine(
      new MemoryHost('a', { commands: { kx_manifest_show: answer, kx_manifest_owner: answer } }),
    );
  };
  expect(await readManifestOwner(machine(''))).toBeUndefined();
  expect(await readManifestOwner(machine('u1 prod\n'))).toEqual({ uid: 'u1', cluster: 'prod' });
  for (const bad of [machine('', 1), machine('u1 prod\n==> 000001/meta <==\n{"node":\n'), machine('nonsense\n')]) {
    await expect(readManifest(bad)).rejects.toMatchObject({ code: 'KX8102', params: { host: 'a' } });
  }
});
