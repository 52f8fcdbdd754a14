import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeyRing } from './key-ring.ts';
import { resolveTarget } from './resolve-target.ts';
import { readSshSettings, type SshConfigContext } from './ssh-config.ts';

let home: string;
let context: SshConfigContext;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'kx-ssh-config-'));
  context = { files: [join(home, '.ssh/config')], home, localUser: 'me', env: { PROJECT: 'blue' } };
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function config(text: string, file = '.ssh/config'): Promise<void> {
  await mkdir(dirname(join(home, file)), { recursive: true });
  await writeFile(join(home, file), text);
}

describe('readSshSettings', () => {
  test('no file says nothing', async () => {
    expect(await readSshSettings('web', context)).toMatchObject({
      hostName: 'web',
      user: undefined,
      port: undefined,
      identityFiles: [],
      proxyJump: [],
      strict: false,
    });
  });

  test('the first value wins, identity files add up', async () => {
    await config(`
      # a comment
      Host web db*
        HostName %h.example.org
        User=deploy
        IdentityFile "~/.ssh/with space"
      Host *
        User nobody
        Port = 2222   # not 22
        IdentityFile ~/.ssh/%r@%h:%p
        IdentityFile \${PROJECT}/%d/key
    `);
    expect(await readSshSettings('web', context)).toMatchObject({
      hostName: 'web.example.org',
      user: 'deploy',
      port: 2222,
      identityFiles: [
        join(home, '.ssh/with space'),
        join(home, '.ssh/deploy@web.example.org:2222'),
        `blue/${home}/key`,
      ],
    });
    expect(await readSshSettings('db7', context)).toMatchObject({ hostName: 'db7.example.org', user: 'deploy' });
    expect(await readSshSettings('mail', context)).toMatchObject({ hostName: 'mail', user: 'nobody' });
  });

  test('negated patterns', async () => {
    await config('Host *.example !bad.example\n  Port 1\nHost !*\n  Port 2\n');
    expect((await readSshSettings('good.example', context)).port).toBe(1);
    expect((await readSshSettings('bad.example', context)).port).toBeUndefined();
  });

  test('Match all, host, originalhost, user; other conditions do not apply', async () => {
    await config(`
      Host web
        HostName 10.0.0.7
      Match host 10.0.0.*
        Port 7
      Match originalhost web user root
        ProxyJump gate
      Match exec "true"
        User wrong
      Match all
        User right
    `);
    expect(await readSshSettings('web', context)).toMatchObject({ port: 7, user: 'right', proxyJump: [] });
    expect(await readSshSettings('web', context, { user: 'root' })).toMatchObject({ proxyJump: ['gate'] });
  });

  test('Include: relative, with wildcards, inside a block, missing, endless', async () => {
    await config('Host web\n  Include conf.d/*.conf\nInclude ~/.ssh/missing\nUser late\n');
    await config('Port 1\n', '.ssh/conf.d/10.conf');
    await config('Port 2\nUser early\n', '.ssh/conf.d/20.conf');
    await config('Port 3\n', '.ssh/conf.d/ignored');
    expect(await readSshSettings('web', context)).toMatchObject({ port: 1, user: 'early' });
    expect(await readSshSettings('db', context)).toMatchObject({ port: undefined, user: undefined });
    await config('Include config\n');
    await expect(readSshSettings('web', context)).rejects.toMatchObject({ code: 'KX3017' });
  });

  test('known hosts and strictness', async () => {
    await config(
      'Host a\n StrictHostKeyChecking yes\n UserKnownHostsFile ~/one /two\nHost b\n StrictHostKeyChecking no\n',
    );
    expect(await readSshSettings('a', context)).toMatchObject({
      strict: true,
      knownHostsFiles: [join(home, 'one'), '/two'],
    });
    expect(await readSshSettings('b', context)).toMatchObject({ strict: false, knownHostsFiles: undefined });
  });

  test('an open quote is an error with its line', async () => {
    await config('Host web\n  IdentityFile "open\n');
    await expect(readSshSettings('web', context)).rejects.toMatchObject({
      code: 'KX3017',
      params: { file: `${join(home, '.ssh/config')}:2` },
    });
  });
});

describe('resolveTarget', () => {
  const spec = { name: 'node1', address: 'web', hostKeys: { pinFile: '/pins' } };

  test('OpenSSH defaults', async () => {
    const target = await resolveTarget(spec, { ...context, env: { SSH_AUTH_SOCK: '/agent' } });
    expect(target).toMatchObject({ name: 'node1', address: 'web', port: 22, user: 'me', bastions: [] });
    expect(target.auth).toMatchObject({ agent: '/agent', identitiesOnly: false });
    expect(target.auth.identityFiles).toContain(join(home, '.ssh/id_ed25519'));
    expect(target.hostKeys).toMatchObject({ pinFile: '/pins', policy: 'accept-new' });
    expect(target.hostKeys.files).toContain(join(home, '.ssh/known_hosts'));
  });

  test('what is given wins over the file', async () => {
    await config('Host *\n  User file\n  Port 7\n  ProxyJump gate\n');
    const target = await resolveTarget({ ...spec, user: 'given', port: 8, bastions: [] }, context);
    expect(target).toMatchObject({ user: 'given', port: 8, bastions: [] });
  });

  test('a chain of jumps, each with its own settings; the first may have jumps of its own', async () => {
    await config(`
      Host web
        ProxyJump admin@gate:2200,inner
      Host gate
        HostName gate.example
        IdentityFile ~/.ssh/gate
        ProxyJump front
      Host inner
        User in
        ProxyJump ignored-for-later-hops
      Host front
        Port 23
    `);
    const { bastions } = await resolveTarget(spec, context);
    expect(bastions.map(({ user, address, port }) => `${user}@${address}:${port}`)).toEqual([
      'me@front:23',
      'admin@gate.example:2200',
      'in@inner:22',
    ]);
    expect(bastions[1]?.auth.identityFiles).toEqual([join(home, '.ssh/gate')]);
  });

  test('a hop has its own login, but its keys are asked for in the same way', async () => {
    await config('Host web\n  ProxyJump gate\n');
    const asking = { askPassphrase: () => Promise.resolve(''), keys: new KeyRing() };
    const auth = { ...asking, password: 'of web', passphrase: 'of web', privateKeyPath: '/of/web' };
    const { bastions } = await resolveTarget({ ...spec, address: 'web', auth }, context);
    expect(bastions).toHaveLength(1);
    expect(bastions[0]?.auth).toMatchObject(asking);
    expect(JSON.stringify(bastions[0]?.auth)).not.toMatch(/of.web/);
  });

  test('circular jumps and unsupported options are reported', async () => {
    await config('Host web\n ProxyJump web\nHost old\n ProxyCommand nc %h %p\nHost v6\n ProxyJump me@[fd00::1]:7\n');
    await expect(resolveTarget(spec, context)).rejects.toMatchObject({ code: 'KX3017' });
    await expect(resolveTarget({ ...spec, address: 'old' }, context)).rejects.toThrow(/ProxyCommand/);
    const { bastions } = await resolveTarget({ ...spec, address: 'v6' }, context);
    expect(bastions).toMatchObject([{ address: 'fd00::1', port: 7, user: 'me' }]);
  });
});
