import { expect, test } from 'vitest';
import { deb822, parseDeb822, parseList, sourcesFor } from './sources.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const BOOKWORM = `# comment
Types: deb deb-src
URIs: http://mirror.example/debian/
Suites: bookworm bookworm-updates bookworm-backports
Components: main contrib
Signed-By: ${KEYRING}

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: ${KEYRING}
`;

const main = (suites: string[], more = {}) => ({
  uri: 'http://mirror.example/debian',
  suites,
  components: ['main'],
  signedBy: KEYRING,
  trusted: false,
  enabled: true,
  ...more,
});
const security = (suites: string[]) => main(suites, { uri: 'http://mirror.example/debian-security' });

test('paragraphs', () => {
  expect(parseDeb822(BOOKWORM)).toEqual([
    main(['bookworm', 'bookworm-updates', 'bookworm-backports'], { components: ['main', 'contrib'] }),
    security(['bookworm-security']),
  ]);
});

test('several addresses, continued lines, switches and keys in the file', () => {
  const text = `Types: deb
URIs: http://a.example/debian
 http://b.example/debian
Suites: trixie
Components: main
Trusted: yes
Enabled: no
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb-src
URIs: http://c.example/debian
Suites: trixie
Components: main`;
  const sources = parseDeb822(text);
  expect(sources.map((one) => one.uri)).toEqual(['http://a.example/debian', 'http://b.example/debian']);
  expect(sources[0]).toMatchObject({ trusted: true, enabled: false });
  expect(sources[0]?.signedBy).toMatch(/^-----BEGIN[\s\S]*\n \.\n abc\n/);
});

test.each([
  ['deb http://mirror.example/debian bookworm main', main(['bookworm'], { signedBy: undefined })],
  [`deb [ arch=amd64 signed-by=${KEYRING} ] http://mirror.example/debian/ bookworm main # x`, main(['bookworm'])],
  [
    'deb [trusted=yes] http://mirror.example/debian bookworm main',
    main(['bookworm'], { signedBy: undefined, trusted: true }),
  ],
  ['deb-src http://mirror.example/debian bookworm main', undefined],
  ['# deb http://mirror.example/debian bookworm main', undefined],
  ['', undefined],
])('the line %j', (line, source) => {
  const { signedBy, ...rest } = source ?? { signedBy: undefined };
  expect(parseList(line)).toEqual(source === undefined ? [] : [{ ...rest, ...(signedBy && { signedBy }) }]);
});

test('the release that the box has itself', () => {
  expect(sourcesFor(parseDeb822(BOOKWORM), 'bookworm')).toEqual([
    main(['bookworm', 'bookworm-updates']),
    security(['bookworm-security']),
  ]);
});

test('another release from the same mirrors', () => {
  expect(sourcesFor(parseDeb822(BOOKWORM), 'trixie')).toEqual([
    main(['trixie', 'trixie-updates']),
    security(['trixie-security']),
  ]);
});

test('lines of one mirror become one source', () => {
  const text = ['bookworm', 'bookworm-updates']
    .map((suite) => `deb http://mirror.example/debian ${suite} main\n`)
    .join('');
  expect(sourcesFor(parseList(text), 'bookworm')).toHaveLength(1);
});

test.each([
  ['deb http://archive.example/ubuntu noble main'],
  ['deb http://vendor.example/linux bookworm main'],
  ['deb http://vendor.example/linux/debian bookworm stable'],
  ['deb http://mirror.example/debian bookworm-pgdg main'],
  [''],
])('no mirror of Debian: %j', (line) => {
  expect(sourcesFor(parseList(line), 'bookworm')).toEqual([]);
});

test('a source that is switched off serves where there is no other', () => {
  const off = parseDeb822(BOOKWORM.replaceAll('Components: main', 'Enabled: no\nComponents: main'));
  const ubuntu = parseList('deb http://archive.example/ubuntu noble main');
  expect(sourcesFor([...ubuntu, ...off], 'trixie').flatMap((one) => one.suites)).toEqual([
    'trixie',
    'trixie-updates',
    'trixie-security',
  ]);
  const on = parseList('deb http://near.example/debian bookworm main');
  expect(sourcesFor([...off, ...on], 'bookworm').map((one) => one.uri)).toEqual(['http://near.example/debian']);
});

test('a source is written as it was read', () => {
  const [first] = sourcesFor(parseDeb822(BOOKWORM), 'bookworm');
  expect(parseDeb822(deb822(first!))).toEqual([first]);
});
