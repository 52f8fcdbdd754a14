import { expect, test } from 'vitest';
import { parseChallenges } from './challenge.ts';

test.each([
  [undefined, []],
  ['', []],
  ['Basic realm="a, b"', [{ scheme: 'basic', params: { realm: 'a, b' } }]],
  [
    'Bearer realm="https://auth.example/token",service="registry",scope="repository:a:pull,push repository:b:pull"',
    [
      {
        scheme: 'bearer',
        params: {
          realm: 'https://auth.example/token',
          service: 'registry',
          scope: 'repository:a:pull,push repository:b:pull',
        },
      },
    ],
  ],
  [
    'Negotiate, BEARER Realm = "x\\"y" , error=invalid_token, Basic realm=plain',
    [
      { scheme: 'negotiate', params: {} },
      { scheme: 'bearer', params: { realm: 'x"y', error: 'invalid_token' } },
      { scheme: 'basic', params: { realm: 'plain' } },
    ],
  ],
  ['=== nonsense "', []],
])('%s', (header, challenges) => {
  expect(parseChallenges(header)).toEqual(challenges);
});
