import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Variant } from '../contract/shell-host.ts';

/**
 * Stands for rpm and a package manager over it: `db` has what is installed, `repo` what can be, `needs` who needs whom,
 * `brings` what a package takes along, `replaces` what it puts away. Every command that would change something is logged.
 */
const STAND_IN = String.raw`#!/usr/bin/env -S python3 -IS
import os, re, sys
me, args = os.path.basename(sys.argv[0]), sys.argv[1:]
os.chdir('DIRECTORY')

def lines(name):
    with open(name) as file:
        return file.read().splitlines()

db = dict(line.split('=', 1) for line in lines('db'))

def parts(key):
    return (key[:-7], *re.match(r'(.*):(.*)-(.*)', db[key]).groups())

def full(key):
    name, _epoch, version, release = parts(key)
    return f'{name}-{version}-{release}.x86_64'

def key_of(word):
    return next((k for k in db if word in (k, k[:-7])), None)

def show(form, key):
    name, epoch, version, release = parts(key)
    for tag, text in (('NAME', name), ('ARCH', 'x86_64'), ('EPOCHNUM', epoch), ('VERSION', version), ('RELEASE', release)):
        form = form.replace('%{' + tag + '}', text)
    sys.stdout.write(form.replace('\\n', '\n'))

def rpm():
    form = args[args.index('--qf') + 1] if '--qf' in args else '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}\\n'
    names = [word for word in args[1:] if not word.startswith('-') and word != form]
    if args[0] == '-qa':
        for key in sorted(db):
            show(form, key)
        print('gpg-pubkey.(none)=0:1-2')
    elif args[0] == '-q':
        found = {word: key_of(word) or next((k for k in db if full(k).startswith(word + '-')), None) for word in names}
        for word, key in found.items():
            if key:
                show(form, key)
            else:
                print(f'package {word} is not installed')
        return None in found.values()
    elif args[:2] == ['-e', '--test']:
        going = {key_of(word) for word in names}
        bad = [(lib, user) for user, lib in (line.split() for line in lines('needs'))
               if key_of(lib) in going and key_of(user) and key_of(user) not in going]
        for lib, user in bad:
            print(f'\t{lib} is needed by (installed) {full(key_of(user))}', file=sys.stderr)
        return bool(bad)
    elif args[0] in ('-qc', '-ql'):
        print('/nowhere/kx.conf')
    return 0

def offered(word):
    for line in reversed(lines('repo')):
        key, evr = line.split('=', 1)
        name, (epoch, version, release) = key[:-7], re.match(r'(.*):(.*)-(.*)', evr).groups()
        vr = f'{version}-{release}'
        if word in (name, key, f'{name}-{version}', f'{name}-{vr}', f'{name}={version}', f'{name}-{evr}.x86_64',
                    f'{epoch}:{name}-{vr}.x86_64', f'{key}={vr}', f'{key}={evr}'):
            return key, evr
    return None

def others(name, who):
    return [line.split()[1] for line in lines(name) if line.split()[0] == who]

def manager():
    if 'repoquery' in args:
        print('\n'.join(lines('manual')))
        return 0
    with open('log', 'a') as log:
        log.write(' '.join([me, *args]) + '\n')
    words = [word for word in args if not word.startswith('-')]
    verb, names = words[0], words[1:]
    if verb in ('clean', 'refresh'):
        open('fresh', 'w').close()
    for word in names if verb in ('install', 'downgrade') else ():
        found = offered(word)
        if not found or (os.path.exists('stale') and not os.path.exists('fresh')):
            print(f'nothing provides {word}', file=sys.stderr)
            return 104 if me == 'zypper' else 1
        db[found[0]] = found[1]
        for name in others('brings', found[0][:-7]):
            key, evr = offered(name)
            db[key] = evr
        for name in others('replaces', found[0][:-7]):
            db.pop(name + '.x86_64', None)
    for word in names if verb == 'remove' else ():
        db.pop(key_of(word), None)
    with open('db', 'w') as file:
        file.write(''.join(f'{key}={db[key]}\n' for key in sorted(db)))
    return 0

sys.exit(int(rpm() if me == 'rpm' else manager()))
`;

/** What the stand-ins start from: lists of words, a line each. */
export interface RpmWorld {
  readonly db: readonly string[];
  readonly repo: readonly string[];
  readonly needs?: readonly string[];
  readonly brings?: readonly string[];
  readonly replaces?: readonly string[];
  readonly manual?: readonly string[];
  /** Nothing can be installed before the lists were fetched again. */
  readonly stale?: boolean;
}

const TOOLS =
  'awk cat cmp cp date env find grep head id mkdir mv python3 rm rmdir sed sh sleep sort stat sync tail tr'.split(' ');

/** A shell whose only package managers are stand-ins, in a directory of the test's own. */
export function rpmShell(dir: string, shell: Variant, manager: 'dnf' | 'yum' | 'zypper', world: RpmWorld): Variant {
  const path = join(dir, 'tools');
  mkdirSync(path, { recursive: true });
  for (const tool of TOOLS) {
    const found = ['/usr/bin', '/bin', '/usr/sbin'].map((place) => join(place, tool)).find(existsSync);
    if (found !== undefined) symlinkSync(found, join(path, tool));
  }
  for (const tool of ['rpm', manager]) {
    writeFileSync(join(path, tool), STAND_IN.replace('DIRECTORY', dir));
    chmodSync(join(path, tool), 0o755);
  }
  for (const name of ['db', 'repo', 'needs', 'brings', 'replaces', 'manual'] as const)
    writeFileSync(join(dir, name), (world[name] ?? []).map((line) => `${line}\n`).join(''));
  writeFileSync(join(dir, 'log'), '');
  if (world.stale === true) writeFileSync(join(dir, 'stale'), '');
  return { ...shell, path };
}

/** What is installed there now. */
export function rpmInstalled(dir: string): readonly string[] {
  return linesOf(join(dir, 'db'));
}

/** The commands that changed something, and forgets them. */
export function rpmCommands(dir: string): readonly string[] {
  const found = linesOf(join(dir, 'log'));
  writeFileSync(join(dir, 'log'), '');
  return found;
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}
