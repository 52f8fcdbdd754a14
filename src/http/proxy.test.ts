import { describe, expect, test } from 'vitest';
import { bypasses, type Env, proxyFor } from './proxy.ts';

describe('proxyFor', () => {
  test.each<[string, string, Env, string | undefined]>([
    ['none set', 'http://a/', {}, undefined],
    ['http', 'http://a/', { http_proxy: 'http://p:3128' }, 'http://p:3128/'],
    ['capitals', 'https://a/', { HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128/'],
    ['lower case wins', 'http://a/', { http_proxy: 'http://one', HTTP_PROXY: 'http://two' }, 'http://one/'],
    ['not for the other kind', 'https://a/', { http_proxy: 'http://p' }, undefined],
    ['for all', 'https://a/', { ALL_PROXY: 'p:8080' }, 'http://p:8080/'],
    ['no scheme', 'http://a/', { http_proxy: 'p:3128' }, 'http://p:3128/'],
    ['empty', 'http://a/', { http_proxy: '' }, undefined],
    ['nonsense', 'http://a/', { http_proxy: 'http://:::' }, undefined],
    ['not a proxy we speak', 'http://a/', { http_proxy: 'socks5://p' }, undefined],
    ['bypassed', 'http://a/', { http_proxy: 'http://p', NO_PROXY: 'a' }, undefined],
  ])('%s', (_name, url, env, expected) => {
    expect(proxyFor(new URL(url), env)?.href).toBe(expected);
  });
});

describe('NO_PROXY', () => {
  test.each<[string, string, boolean]>([
    ['http://a.example/', '*', true],
    ['http://a.example/', 'example', true],
    ['http://a.example/', '.example', true],
    ['http://a.example/', '*.example', true],
    ['http://example/', '.example', true],
    ['http://anexample/', 'example', false],
    ['http://A.Example/', 'a.EXAMPLE', true],
    ['http://10.1.2.3/', '10.0.0.0/8', true],
    ['http://11.1.2.3/', '10.0.0.0/8', false],
    ['http://10.1.2.3/', '10.1.2.3', true],
    ['http://10.1.2.3/', '3', false],
    ['http://[fd00::1]/', 'fd00::/8', true],
    ['http://[fd00::1]/', '[fd00::1]', true],
    ['http://a:8080/', 'a:8080', true],
    ['http://a/', 'a:8080', false],
    ['https://a/', 'a:443', true],
    ['http://a/', 'b, c a', true],
    ['http://10.1.2.3/', '10.0.0.0/99', false],
    ['http://10.1.2.3/', 'x/8', false],
    ['http://a/', '', false],
  ])('%s and %j: %s', (url, list, expected) => {
    expect(bypasses(new URL(url), list)).toBe(expected);
  });
});
