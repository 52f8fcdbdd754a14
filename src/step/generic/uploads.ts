import { type Output, output } from '../../model/host.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import type { Ownership } from './lib/ownership.ts';
import { absolute, invalid } from './lib/path.ts';
import { lookAt, parseSeen } from './lib/seen-file.ts';
import { sendFile, uploadDiff } from './upload.ts';

/** Files of this machine that belong together, to be put into a directory of a host. */
export interface Uploads extends Ownership {
  readonly directory: string;
  /** By their names in it. Null where no source had an optional file: there is nothing to send. */
  readonly files: Readonly<Record<string, Kept | null>>;
  readonly mode: string;
}

/** Sends files, those that are not there yet. Their directory must exist. */
export const uploads = defineStep<Uploads>()({
  kind: 'uploads',
  description:
    'Files of the machine kubexm runs on, sent into a directory of the host: those that differ by their digest.',
  title: (want) => `upload ${namesIn(want).length} files to ${want.directory}`,
  probe: look,
  judge: (found, want) => {
    const diff = differing(found, want).flatMap(([, changes]) => changes);
    return diff.length === 0 ? satisfied() : needed({}, diff);
  },
  apply: async (host, want, io): Promise<void> => {
    const found = await host.run(look(want), { timeoutSeconds: 600, signal: io.signal });
    for (const [name] of differing(found, want)) {
      const source = want.files[name];
      if (!source) continue;
      io.line(name);
      await sendFile(host, { ...want, source, path: pathOf(want, name) }, io);
    }
    io.sent();
  },
  saves: (want) => pathsOf(want).map(([, path]) => path),
  sends: true,
  timeoutSeconds: 3600,
  estimateSeconds: (want) => 2 + namesIn(want).length,
  example: {
    directory: '/opt/cni/bin',
    files: {
      bridge: { path: '/tmp/bridge', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    },
    mode: '0755',
    owner: 'root:root',
  },
});

function look(want: Uploads): Script {
  return lines(...pathsOf(want).map(([, path]) => sh`${lookAt(path, { big: true })}\nprintf '\\0'`));
}

/** Names and places of what is to be there. */
function pathsOf(want: Uploads): readonly (readonly [string, string])[] {
  return namesIn(want).map((name) => [name, pathOf(want, name)]);
}

/** Of what is to be there. Before other steps have run, nobody may know. */
function namesIn({ files }: Partial<Uploads>): readonly string[] {
  return Object.entries(files ?? {}).flatMap(([name, source]) => (source === null ? [] : [name]));
}

function pathOf({ directory }: Uploads, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
    throw invalid(`${JSON.stringify(name)} is no name of a file`);
  return `${absolute(directory)}/${name}`;
}

/** What is not as wanted, by name. Who gets new content gets its mode and owner with it: that need not be said of each. */
function differing(found: Output, want: Uploads): readonly (readonly [string, readonly Change[]])[] {
  const parts = found.stdout.split('\0');
  return pathsOf(want)
    .map(([name, path], i) => {
      const source = want.files[name] ?? null;
      const changes = uploadDiff(parseSeen(output(0, parts[i])), { ...want, source, path });
      const content = changes.filter(({ what }) => what === path);
      return [
        name,
        content.length > 0 ? content : changes.map((one) => ({ ...one, what: `${path}: ${one.what}` })),
      ] as const;
    })
    .filter(([, changes]) => changes.length > 0);
}
