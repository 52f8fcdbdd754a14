import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/configs/cpu-time.ts';
import { everyEvent } from '../../../test/rig/every-event.ts';
import type { RunEvent } from '../../model/event.ts';
import { quote } from '../../model/script.ts';
import { MASK } from '../../model/text/mask.ts';
import { Redactor } from './redactor.ts';

const secret = `p@ss'w"o$r\\d <&> /100%`;

function knowing(...secrets: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const one of secrets) redactor.add(one);
  return redactor;
}

describe('a known secret', () => {
  const forms: Readonly<Record<string, string>> = {
    plain: secret,
    json: JSON.stringify({ key: secret }),
    'json in json': JSON.stringify(JSON.stringify({ key: secret })),
    'json as Go writes it': '"p@ss\'w\\"o$r\\\\d \\u003c\\u0026\\u003e /100%"',
    'url component': `https://example.test/?q=${encodeURIComponent(secret)}`,
    'form data': new URLSearchParams({ q: secret }).toString(),
    'shell word': `mysql ${quote(secret)}`,
    'python shlex': `'p@ss'"'"'w"o$r\\d <&> /100%'`,
    'double quotes': `"p@ss'w\\"o\\$r\\\\d <&> /100%"`,
    'bash %q': `p@ss\\'w\\"o\\$r\\\\d\\ \\<\\&\\>\\ /100%`,
    'bash $…': `$'p@ss\\'w"o$r\\\\d <&> /100%'`,
    'yaml single quotes': `'p@ss''w"o$r\\d <&> /100%'`,
    base64: Buffer.from(secret).toString('base64'),
    'base64 of a line': Buffer.from(`${secret}\n`).toString('base64'),
    base64url: Buffer.from(secret).toString('base64url'),
  };
  for (const [name, text] of Object.entries(forms)) {
    it(`is masked as ${name}`, () => {
      const out = knowing(secret).text(`before ${text} after`);
      expect(out).toContain(MASK);
      for (const piece of ['p@ss', 'w"o', 'r\\d', '100%', 'p%40ss', 'cEBzcyd3']) expect(out).not.toContain(piece);
      expect(out.startsWith('before ')).toBe(true);
      expect(out.endsWith(' after')).toBe(true);
    });
  }

  it('is masked inside base64 of something longer, at every offset', () => {
    for (const before of ['', 'a', 'ab', 'user:']) {
      const encoded = Buffer.from(`${before}correct-horse-battery and more`).toString('base64');
      const out = knowing('correct-horse-battery').text(encoded);
      expect(Buffer.from(out.replace(MASK, ''), 'base64').toString()).not.toMatch(/orse|batt|corr/);
    }
  });

  it('is masked in folded base64', () => {
    const long = 'x7'.repeat(150);
    const folded = (
      Buffer.from(long)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n');
    expect(knowing(long).text(folded)).not.toMatch(/[A-Za-z0-9]{9}/);
  });

  it('may overlap another one', () => {
    expect(knowing('abcdefgh', 'efghijkl').text('> abcdefghijkl <')).toBe(`> ${MASK} <`);
    expect(knowing('hunter2', 'hunter2hunter3').text('hunter2hunter3 hunter2')).toBe(`${MASK} ${MASK}`);
  });

  it('is masked whatever it is (property)', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, maxLength: 40, unit: 'binary' }), fc.string(), fc.string(), (one, a, b) => {
        fc.pre(!a.includes(one) && !b.includes(one) && !MASK.includes(one) && one.trim().length >= 4);
        const out = knowing(one).text(`${a} ${one} ${b}`);
        expect(out).toContain(MASK);
        expect(out.replaceAll(MASK, '')).not.toContain(one);
      }),
    );
  });

  it('also goes without the line end that its file had', () => {
    expect(knowing('from-a-file\n').text('it is from-a-file, really')).toBe(`it is ${MASK}, really`);
  });
});

describe('a short secret', () => {
  it('is masked only as a word', () => {
    const redactor = knowing('in');
    expect(redactor.text('installing in containers')).toBe(`installing ${MASK} containers`);
    expect(redactor.text('--pin=in,')).toBe(`--pin=${MASK},`);
  });
  it('may have signs in it, and may be nothing', () => {
    expect(knowing('.*', '').text('a .* b')).toBe(`a ${MASK} b`);
  });
});

describe('a private key', () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const lines = pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));

  it('is masked line by line', () => {
    const redactor = knowing(pem);
    for (const line of lines) expect(redactor.text(`+ ${line}`)).toBe(`+ ${MASK}`);
    expect(redactor.text(JSON.stringify({ key: pem }))).not.toMatch(/[A-Za-z0-9+/]{20}/);
  });
  it('is masked when nobody named it, also cut off or in base64', () => {
    const redactor = new Redactor();
    expect(redactor.text(`a\n${pem}b`)).toBe(`a\n-----BEGIN PRIVATE KEY-----${MASK}-----END PRIVATE KEY-----\nb`);
    expect(redactor.text(pem.slice(0, 400))).toBe(`-----BEGIN PRIVATE KEY-----${MASK}`);
    expect(redactor.text(Buffer.from(pem).toString('base64'))).toBe(MASK);
  });
  it('leaves the frame and certificates readable', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    const redactor = knowing(pem);
    expect(redactor.text(certificate)).toBe(certificate);
    expect(redactor.text(Buffer.from(certificate).toString('base64'))).not.toContain(MASK);
  });
});

describe('what looks like a secret', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['password: hunter2', `password: ${MASK}`],
    ['  registryPassword: two words {x} # note', `  registryPassword: ${MASK}`],
    ['{"password": "a\\"b, c", "user": "bob"}', `{"password": "${MASK}", "user": "bob"}`],
    ['{\\"password\\": \\"a b\\", \\"user\\": 1}', `{\\"password\\": \\"${MASK}\\", \\"user\\": 1}`],
    ['env DB_PASSWORD=a,b;c run', `env DB_PASSWORD=${MASK} run`],
    ['login failed for bob, password: x', `login failed for bob, password: ${MASK}`],
    ['curl -H "Authorization: Basic dXNlcjpwYXNz"', `curl -H "Authorization: ${MASK}"`],
    ['got Bearer abc123.def-456 back', `got Bearer ${MASK} back`],
    [
      'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef -v 5',
      `kubeadm join 10.0.0.1:6443 --token ${MASK} -v 5`,
    ],
    ['use abcdef.0123456789abcdef now', `use ${MASK} now`],
    ['--certificate-key 5ac2f00d --upload-certs', `--certificate-key ${MASK} --upload-certs`],
    ["tool --password 'a b' next", `tool --password '${MASK}' next`],
    ['https://bob:hunter2@registry.example.test/v2', `https://bob:${MASK}@registry.example.test/v2`],
    ['{"auths":{"r.test":{"auth":"Ym9iOmh1bnRlcjI="}}}', `{"auths":{"r.test":{"auth":"${MASK}"}}}`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl', MASK],
    ['root:$6$saltsalt$hashhashhash:19000:', `root:${MASK}:19000:`],
    ['curl -u bob:hunter2 https://x.test', `curl -u bob:${MASK} https://x.test`],
    ['sshpass -p hunter2 ssh bob@x', `sshpass -p ${MASK} ssh bob@x`],
    ['PrivateKey = aGVsbG8gd29ybGQ=', `PrivateKey = ${MASK}`],
  ];
  for (const [text, expected] of cases) {
    it(`is masked: ${text}`, () => {
      const redactor = new Redactor();
      expect(redactor.text(text)).toBe(expected);
      expect(redactor.text(expected)).toBe(expected);
    });
  }

  const plain = [
    'file /etc/kubernetes/pki/ca.key',
    'secrets "foo" not found',
    'password: env:DB_PASSWORD',
    '--token-ttl 24h --discovery-token-ca-cert-hash sha256:1234',
    'auth: required',
    'basic authentication is off; bearer tokens are on',
    'https://registry.example.test:5000/v2/',
    'privateKey: ~/.ssh/id_ed25519',
    'secretName: tls, automountServiceAccountToken is false',
    'kubelet.service kube-apiserver.yaml',
  ];
  for (const text of plain) {
    it(`is left alone: ${text}`, () => expect(new Redactor().text(text)).toBe(text));
  }

  it('is found quickly even in hostile output', () => {
    const redactor = knowing(secret);
    for (const piece of [
      'eyJ-',
      '--',
      'password:"',
      'token',
      'LS0tLS1CRUdJTi',
      '-----BEGIN ',
      "secret='\\",
      'a://',
      ' ',
      'a1.',
    ]) {
      const spent = cpuTime();
      redactor.text(piece.repeat(Math.ceil(500_000 / piece.length)));
      expect(spent(), piece).toBeLessThan(3000);
    }
  });
});

describe('events', () => {
  it('lose a secret planted in any text of any type', () => {
    const planted = 'planted-Secret-77';
    const redactor = knowing(planted);
    for (const event of everyEvent((text) => `${text} ${planted}`)) {
      expect(JSON.stringify(event)).toContain(planted);
      const out = redactor.event(event);
      expect(JSON.stringify(out), event.type).not.toContain(planted);
      expect(out.type).toBe(event.type);
      expect(Object.keys(out)).toEqual(Object.keys(event));
    }
  });

  it('without secrets stay the same objects', () => {
    for (const event of everyEvent()) expect(knowing('not there at all').event(event)).toBe(event);
  });

  it('keep their vocabulary and, against short passwords, their names', () => {
    const event = everyEvent().find((one) => one.type === 'node-finished' && one.outcome === 'failed') as RunEvent & {
      type: 'node-finished';
    };
    const redactor = knowing('failed', 'node1', 'KX4002', 'node-finished');
    const out = redactor.event({ ...event, title: 'restart node1' });
    expect(out).toMatchObject({ type: 'node-finished', outcome: 'failed', host: 'node1', title: `restart ${MASK}` });
    expect(out.error?.code).toBe('KX4002');
  });

  it('lose a number that is a secret', () => {
    const warning: RunEvent = {
      type: 'warning',
      at: 1,
      run: 'r',
      error: { code: 'KX4002', params: { pin: 424242, port: 22 } },
    };
    expect(knowing('424242').event(warning)).toMatchObject({ error: { params: { pin: MASK, port: 22 } } });
  });

  it('cost little when there is nothing to hide', () => {
    const redactor = new Redactor();
    const events = everyEvent();
    const started = performance.now();
    for (let i = 0; i < 100_000; i++) redactor.event(events[i % events.length]!);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
