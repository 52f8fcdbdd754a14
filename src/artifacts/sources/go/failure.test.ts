import { describe, expect, it } from 'vitest';
import { fileFailure, goFailure, newerGo, withoutSecrets } from './failure.ts';

const SETTINGS = { GOPROXY: 'https://me:secret@proxy.example.org,direct', GOMODCACHE: '/mod', GOCACHE: '/cache' };
const ATTEMPT = { what: 'example.org/x v1.0.0', settings: SETTINGS, toolchain: 'local' };
const ended = (...tail: string[]) => ({ code: 1, stdout: '', tail });

describe('goFailure', () => {
  it.each([
    ['KX7035', 'write /cache/ab/ab-d: no space left on device'],
    ['KX7035', 'go: writing stat cache: open /mod/x: disk quota exceeded'],
    ['KX7033', 'verifying example.org/x@v1.0.0: checksum mismatch'],
    ['KX7033', 'SECURITY ERROR'],
    [
      'KX7034',
      'go: example.org/x@v1.0.0: verifying module: example.org/x@v1.0.0: reading https://p/sumdb/s/lookup/example.org/x@v1.0.0: 404 Not Found',
    ],
    [
      'KX7034',
      'go: example.org/x@v1.0.0: verifying module: example.org/x@v1.0.0: Get "https://s/lookup": dial tcp: lookup s: no such host',
    ],
    [
      'KX7032',
      'go: example.org/x@v1.0.0: reading https://proxy.example.org/example.org/x/@v/v1.0.0.info: 404 Not Found',
    ],
    [
      'KX7032',
      'go: example.org/x@v1.0.0: reading https://proxy.example.org/example.org/x/@v/v1.0.0.info: 403 Forbidden',
    ],
    ['KX7032', 'go: example.org/x@v1.0.0: invalid version: unknown revision v1.0.0'],
    ['KX7032', 'go: example.org/x@v1.0.0: module lookup disabled by GOPROXY=off'],
    [
      'KX7031',
      'go: example.org/x@v1.0.0: Get "https://proxy.example.org/example.org/x/@v/v1.0.0.info": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    ['KX7031', 'go: example.org/x@v1.0.0: Get "https://proxy.example.org/x": proxyconnect tcp: dial tcp: i/o timeout'],
    ['KX7031', 'go: example.org/x@v1.0.0: reading https://proxy.example.org/x: 502 Bad Gateway'],
    [
      'KX7031',
      'go: example.org/x@v1.0.0: Get "https://proxy.example.org/x": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
    ['KX7040', '/usr/lib/go/pkg/tool/linux_amd64/compile: signal: killed'],
    ['KX7039', 'go: download go1.99.0 for linux/amd64: toolchain not available'],
    ['KX7030', './main.go:3:2: undefined: x'],
    ['KX7030', 'dial.go:7:1: cannot use dialTCP'],
  ])('%s: %s', (code, line) => {
    const error = goFailure(ended('go: downloading example.org/y v2.0.0', '# example.org/x', line), ATTEMPT);
    expect(error.code).toBe(code);
    expect(`${error.message}${error.detail}${JSON.stringify(error.params)}`).not.toContain('secret');
  });

  it('shows the last lines, and names the first that says something', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `main.go:${at}: wrong`);
    const error = goFailure(ended('# example.org/x', ...lines), ATTEMPT);
    expect(error.message).toBe('example.org/x v1.0.0 cannot be built: main.go:0: wrong');
    expect(error.detail?.split('\n')).toEqual(lines.slice(-20));
  });

  it('tells of a server that says nothing, and of a go that is not there', () => {
    const silent = goFailure({ ...ended('go: downloading e.org/y v2.0.0'), failure: 'stalled' }, ATTEMPT);
    expect(silent).toMatchObject({ code: 'KX7031', params: { proxy: 'https://proxy.example.org,direct' } });
    expect(silent.message).toContain('e.org/y v2.0.0');
    expect(goFailure({ ...ended(), failure: 'missing' }, ATTEMPT).code).toBe('KX7039');
    expect(goFailure(ended(), ATTEMPT).message).toContain('go ended with code 1');
  });

  it('cuts what is too long for one line', () => {
    expect(goFailure(ended('x'.repeat(5000)), ATTEMPT).message.length).toBeLessThan(400);
  });
});

describe('newerGo', () => {
  it.each([
    ['go: example.org/x@v1.0.0 requires go >= 1.27.1 (running go 1.26.8; GOTOOLCHAIN=local)', '1.27.1'],
    ['go: go.mod requires go >= 1.27 (running go 1.26.8; GOTOOLCHAIN=local)', '1.27'],
    ['go: something else', undefined],
  ])('%s', (line, version) => {
    expect(newerGo(ended('other', line))).toBe(version);
  });
});

describe('fileFailure', () => {
  it('tells of a full disk, and passes on the rest', () => {
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    expect(fileFailure(full, 'x', SETTINGS)).toMatchObject({ code: 'KX7035', params: { places: '/mod, /cache' } });
    const other = Object.assign(new Error('EACCES'), { code: 'EACCES' });
    expect(fileFailure(other, 'x', SETTINGS)).toBe(other);
  });
});

describe('withoutSecrets', () => {
  it('takes users and passwords out of every address', () => {
    const text = 'Get "https://a:b@x.org/p|http://t@y.org:8/": https://z.org/@v/v1.0.0.info';
    expect(withoutSecrets(text)).toBe('Get "https://x.org/p|http://y.org:8/": https://z.org/@v/v1.0.0.info');
  });
});
