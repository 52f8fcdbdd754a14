import { type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { absolute, invalid } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';

const LENGTHS = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const;

/** A file and the digest it must have. */
export interface Checksum {
  readonly path: string;
  readonly algorithm: keyof typeof LENGTHS;
  /** In hex. Without it the digest is only computed. */
  readonly expected?: string;
}

/** A file, its sha256 and its length. */
export type Digested = Kept & { readonly bytes: number };

function expectedOf(want: Checksum): string | undefined {
  const expected = want.expected?.trim().toLowerCase();
  if (expected !== undefined && !(expected.length === LENGTHS[want.algorithm] && /^[0-9a-f]+$/.test(expected))) {
    throw invalid(`${JSON.stringify(want.expected)} is no ${want.algorithm} digest`);
  }
  return expected;
}

/** Sets a to the digest that is asked for. */
function digestScript(want: Checksum): Script {
  return sh`p=${absolute(want.path)}; a=$(${{ script: `${want.algorithm}sum` }} <"$p") && a=\${a%% *}`;
}

/** Makes sure that a file is the one that is meant. */
export const checksum = defineStep<Checksum>()({
  kind: 'checksum',
  description: 'Checks the md5, sha1, sha256 or sha512 of a file; gives its path, sha256 and length.',
  title: (want) => `${want.algorithm} of ${want.path}`,
  nature: 'action',
  probe: (want) => sh`[ -f ${absolute(want.path)} ] || exit 2
${digestScript(want)}
b=$(sha256sum <"$p"); echo "$a \${b%% *} $(stat -L -c %s -- "$p")"`,
  judge: (output, want) => {
    const expected = expectedOf(want);
    const [found = '', sha256 = '', bytes = ''] = output.stdout.trim().split(' ');
    const read = output.code === 0 && /^[0-9a-f]+$/.test(found);
    if (read && (expected === undefined || found === expected)) {
      return satisfied<Digested>({ path: want.path, sha256, bytes: Number(bytes) });
    }
    const to = expected === undefined ? `${want.algorithm} computed` : `${want.algorithm} ${expected}`;
    return needed({ found }, [{ what: want.path, ...(read ? { from: `${want.algorithm} ${found}` } : {}), to }]);
  },
  apply: (_host, want) => {
    const expected = expectedOf(want);
    const compare =
      expected === undefined
        ? sh``
        : sh`e=${expected}; [ "$a" = "$e" ] || kxg_fail "$p has "${want.algorithm}" $a instead of $e: it is damaged, or not the file that is meant"`;
    return withFunctions(
      'fail',
      sh`[ -f ${want.path} ] || kxg_fail ${want.path}" does not exist"`,
      sh`${digestScript(want)} || kxg_fail "cannot read $p"`,
      compare,
    );
  },
  timeoutSeconds: 600,
  example: {
    path: '/opt/kubexm/etcd.tar.gz',
    algorithm: 'sha256',
    expected: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
});
