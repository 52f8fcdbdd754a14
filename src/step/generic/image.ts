import { createHash } from 'node:crypto';
import { type ImageCommands, RUNTIME_COMPONENTS } from '../../component/index.ts';
import type { Runtime } from '../../model/cluster/container-runtime.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { invalid } from './lib/path.ts';

/** An image from a tar of this machine, for a host without a registry. */
export interface Image {
  readonly runtime: Runtime;
  /** How the tar names it. */
  readonly reference: string;
  /** The tar: an OCI layout or docker-archive. */
  readonly source: Kept;
}

function commandsOf(runtime: Runtime): ImageCommands {
  return RUNTIME_COMPONENTS[runtime].images;
}

/** Imports an image. What was imported is noted on the host, so that a tar with other content under the same name is seen. */
export const image = defineStep<Image>()({
  kind: 'image',
  description:
    'An image in the container runtime of the host, imported from a tar of the machine kubexm runs on: no registry is asked.',
  title: (want) => `image ${want.reference}`,
  probe: (want) => {
    const { reference } = checked(want);
    return lines(
      sh`${commandsOf(want.runtime).id(reference)} 2>/dev/null || :`,
      sh`printf '\\0'; cat -- ${noteOf(reference)} 2>/dev/null || :`,
    );
  },
  judge: (output, want) => {
    const [id = '', note = ''] = output.stdout.split('\0').map((part) => part.trim());
    if (id !== '' && note === `${want.source.sha256} ${id}`) return satisfied({ id });
    const from = id === '' ? {} : { from: shortened(id) };
    return needed({ had: id !== '' }, [{ what: want.reference, ...from, to: `tar ${shortened(want.source.sha256)}` }]);
  },
  apply: async (host, want, io): Promise<{ id: string }> => {
    const { reference, source, runtime } = checked(want);
    const made = await host.run(sh`mkdir -p -- "$KX_STATE/images" && printf %s "$KX_STATE/images"`);
    const file = `${made.stdout}/${source.sha256}-${keyOf(reference)}.tar`;
    if (made.code !== 0)
      throw kubexmError('KX5003', { image: reference, reason: 'no directory for it' }, { detail: made.stderr });
    await host.put(source.path, file, {
      mode: '0600',
      sha256: source.sha256,
      signal: io.signal,
      progress: (done, total) => io.progress(done, total),
    });
    io.sent();
    io.line('importing');
    const { id, load } = commandsOf(runtime);
    const script = lines(
      sh`${load(sh`${file}`, reference)} >/dev/null; code=$?; rm -f -- ${file}; [ "$code" = 0 ] || exit "$code"`,
      sh`id=$(${id(reference)}) && [ -n "$id" ] || { echo ${`the tar has no ${reference}`} >&2; exit 1; }`,
      sh`printf '%s %s\\n' ${source.sha256} "$id" >${noteOf(reference)} && printf %s "$id"`,
    );
    const done = await host.run(script, { timeoutSeconds: 900, signal: io.signal });
    if (done.code !== 0)
      throw kubexmError('KX5003', { image: reference, reason: lastLine(done.stderr) }, { detail: done.stderr });
    return { id: done.stdout.trim() };
  },
  // A runtime that does not answer any more goes with all it holds, or nobody can use what it holds.
  revert: (_host, want, before) => {
    const { reference, runtime } = checked(want);
    if (!before.had) return removeImage(runtime, reference);
    return lines(
      forgetNote(reference),
      sh`kx_report left ${`the image ${reference} stays: the host had one of that name`}`,
    );
  },
  owns: (want) => [`image:${want.runtime}:${want.reference}`],
  sends: true,
  timeoutSeconds: 3600,
  estimateSeconds: 3,
  example: {
    runtime: 'containerd',
    reference: 'registry.k8s.io/pause:3.10.1',
    source: { path: '/tmp/pause.tar', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  },
});

/** Takes an imported image away again. That there is none, or no runtime, is as good. */
export function removeImage(runtime: Runtime, reference: string): Script {
  return lines(sh`${commandsOf(runtime).remove(reference)} >/dev/null 2>&1 || :`, forgetNote(reference));
}

function forgetNote(reference: string): Script {
  return sh`rm -f -- ${noteOf(reference)}; rmdir -- "$KX_STATE/images" 2>/dev/null || :`;
}

function checked(want: Image): Image {
  if (!/^[a-z0-9][a-z0-9._:/@-]*$/i.test(want.reference))
    throw invalid(`${JSON.stringify(want.reference)} names no image`);
  if (!Object.hasOwn(RUNTIME_COMPONENTS, want.runtime))
    throw invalid(`${JSON.stringify(want.runtime)} is no runtime for images`);
  return want;
}

function noteOf(reference: string): Script {
  return sh`"$KX_STATE"/images/${keyOf(reference)}`;
}

function keyOf(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 16);
}

function shortened(id: string): string {
  return id.slice(0, 19);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
