import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Lab } from '../../index.ts';
import type { ValueKind } from '../command-spec.ts';
import type { Io } from '../io.ts';
import type { Candidate, ValueSource } from './candidates.ts';

/** Values that only this machine knows: runs, clusters, hosts, codes. Never fails: a shell that completes shows no errors. */
export function machineValues(io: Io): ValueSource {
  return async (kind, words) => {
    try {
      return await lookUp(kind, words, io);
    } catch {
      return [];
    }
  };
}

async function lookUp(kind: ValueKind, words: readonly string[], io: Io): Promise<readonly Candidate[]> {
  const library = await import('../../index.ts');
  const { current, contexts } = library.readContexts(io.env);
  const named = contexts.find((context) => context.name === (valueAfter(words, '-c', '--cluster-name') ?? current));
  switch (kind) {
    case 'context':
    case 'cluster':
      return contexts.map(({ name, configFile }) => ({ value: name, text: configFile }));
    case 'code':
      return Object.entries(library.catalogue as Readonly<Record<string, { title: { en: string; zh: string } }>>).map(
        ([value, { title }]) => ({ value, text: title[io.lang] }),
      );
    case 'run': {
      const baseDir = existsSync(join(io.cwd, library.WORK_DIR)) ? io.cwd : (named?.baseDir ?? io.cwd);
      const stores = library.openHistory({ baseDir });
      const runs = stores.flatMap(({ reader }) => reader.listRuns({ limit: 30 }));
      for (const { reader } of stores) reader.close();
      return runs.map(({ id, pipeline, cluster }) => ({ value: id, text: `${pipeline} ${cluster}` }));
    }
    case 'node': {
      const file = valueAfter(words, '-f', '--file');
      const lab = valueAfter(words, '--lab');
      if (lab !== undefined) return machinesOf([await library.openLab(lab, { env: io.env })]);
      const path = file === undefined ? named?.configFile : resolve(io.cwd, file);
      if (path === undefined) return [];
      const { cluster } = await library.loadConfig(path);
      if (!cluster) return [];
      const roles = Object.entries(cluster.spec.roleGroups).filter(
        ([, members]) => Array.isArray(members) && members.length > 0,
      );
      return [
        { value: 'all', text: '' },
        ...cluster.spec.hosts.map((host) => ({ value: host.name, text: host.address })),
        ...roles.map(([role, members]) => ({ value: role, text: (members as readonly string[]).join(', ') })),
      ];
    }
    case 'task':
      return library.createCluster.modules.flatMap(({ tasks }) =>
        tasks.map(({ name, description }) => ({ value: name, text: description })),
      );
    case 'field':
      return library
        .describeSchema()
        .filter(({ path, secret }) => !secret && !path.includes('[') && !path.includes('<'))
        .map(({ path, description }) => ({ value: `${path.replace(/^spec\./, '')}=`, text: description }));
    case 'lab':
      return labsOf(await library.listLabs({ env: io.env }));
    case 'machine':
      return machinesOf(await library.listLabs({ env: io.env }));
    case 'machine-or-lab': {
      const labs = await library.listLabs({ env: io.env });
      return [...machinesOf(labs), ...labsOf(labs)];
    }
    case 'tag': {
      const tags = new Set(library.reference().tasks.flatMap((task) => task.tags));
      return [...tags].sort().map((value) => ({ value, text: '' }));
    }
    default:
      return [];
  }
}

function labsOf(labs: readonly Lab[]): readonly Candidate[] {
  return labs.map((lab) => ({ value: lab.name, text: `${lab.image} × ${lab.machines.length}` }));
}

function machinesOf(labs: readonly Lab[]): readonly Candidate[] {
  return labs.flatMap((lab) => lab.machines.map(({ name, address }) => ({ value: name, text: address })));
}

function valueAfter(words: readonly string[], ...flags: readonly string[]): string | undefined {
  for (const [i, word] of words.entries()) {
    if (flags.includes(word)) return words[i + 1];
    const flag = flags.find((one) => word.startsWith(`${one}=`));
    if (flag) return word.slice(flag.length + 1);
  }
  return undefined;
}
