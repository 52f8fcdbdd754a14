import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localMachine } from '../../src/host/index.ts';
import type { Host } from '../../src/model/host.ts';
import { fieldOf } from '../../src/plan/step.ts';
import * as generic from '../../src/step/generic/index.ts';
import { dealt, some } from '../rig/thorough.ts';
import { has } from './bench.ts';
import { BINARY, root, type StateCase } from './case.ts';
import { stateCases } from './cases.ts';
import { testedOnHosts } from './on-hosts.ts';
import { meetsContract } from './procedure.ts';
import { ShellHost, variants } from './shell-host.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-contract-'));

let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-length', BINARY.length);
    response.end(BINARY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(base, { recursive: true, force: true });
});

/** Why a case cannot be tried here. */
function whyNot(one: StateCase, variant: string): string | undefined {
  if (one.needsRoot === true && !root) return 'only root can change owners';
  if (one.notBusybox === true && variant === 'busybox') return 'busybox cannot do it';
  const missing = (one.needs ?? []).filter((tool) => !has(tool));
  return missing.length > 0 ? `${missing.join(', ')} is not installed` : undefined;
}

interface Opened {
  readonly host: Host;
  close(): Promise<void>;
}

const hosts: readonly { readonly name: string; readonly open: (scratch: string) => Promise<Opened> }[] = [
  ...variants(base).map((variant) => ({
    name: variant.name,
    open: async (scratch: string) => ({ host: new ShellHost(variant, scratch), close: async () => undefined }),
  })),
  {
    name: 'the local machine',
    open: async (scratch) => {
      const machine = await localMachine({
        stateDir: join(scratch, 'state'),
        runDir: join(scratch, 'run'),
        sudo: false,
      });
      return { host: machine, close: () => machine.close() };
    },
  },
];

/** Every case in a thorough run, else half of those of every step, the others in the next run. */
const tried = [...Map.groupBy(stateCases, (one) => one.step).values()].flatMap((cases) =>
  some(cases, Math.ceil(cases.length / 2)),
);

describe.each(hosts)('state steps in $name', (variant) => {
  let scratch: string;
  let tree: string;
  let work: string;
  let opened: Opened;

  beforeEach(async () => {
    scratch = mkdtempSync(join(base, 'case-'));
    tree = join(scratch, 'tree');
    work = join(scratch, 'work');
    mkdirSync(tree);
    mkdirSync(work);
    opened = await variant.open(scratch);
  });

  afterEach(async () => {
    await opened.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  // Two very different shells try all that are tried between them, the others some.
  const place = ['dash', 'busybox'].indexOf(variant.name);
  const cases = place < 0 ? some(tried, 5) : dealt(tried, place, 2);

  test.for(cases.map((one) => [`${one.step.kind}: ${one.name}`, one] as const))('%s', async ([, one], context) => {
    const why = whyNot(one, variant.name);
    if (why !== undefined) return context.skip(why);
    await meetsContract(one, opened.host, { tree, work, url });
  });
});

describe('every generic step', () => {
  const exported = Object.entries(generic).flatMap(([name, value]) =>
    typeof value === 'function' ? [[name, value.definition.kind] as const] : [],
  );

  test('is listed, under the name it is exported by', () => {
    for (const [name, kind] of exported) expect(kind).toBe(name);
    expect(generic.genericSteps.map((step) => step.kind)).toEqual(exported.map(([name]) => name).sort());
  });

  test.each(generic.genericSteps.map((step) => [step.kind, step] as const))(
    '%s is described and its example works',
    (_kind, step) => {
      expect(step.description).toMatch(/^[A-Z].*\.$/s);
      expect(step.title(step.example)).not.toBe('');
      expect(step.title(step.example).length).toBeLessThan(90);
      expect(JSON.parse(JSON.stringify(step.example))).toEqual(step.example);
      if (step.probe) expect(step.probe(step.example).script).not.toBe('');
      expect(Boolean(step.probe)).toBe(Boolean(step.judge));
      expect(fieldOf(step.timeoutSeconds, step.example, 60)).toBeGreaterThan(0);
    },
  );

  test.each(generic.genericSteps.map((step) => [step.kind, step] as const))(
    '%s has a title, a nature and a time also while values of other steps are not known',
    (_kind, step) => {
      const unknown = '‹other step›';
      const wants = [unknown, ...Object.keys(step.example).map((key) => ({ ...step.example, [key]: unknown }))];
      for (const want of wants) {
        expect(step.title(want)).toEqual(expect.any(String));
        expect(fieldOf(step.nature, want, 'state')).toMatch(/^(?:state|action|mint)$/);
        expect(fieldOf(step.job, want, false)).toEqual(expect.any(Boolean));
        fieldOf(step.irreversible, want, undefined);
      }
    },
  );

  test('that is a state can be undone, or says why not, and is tested above', () => {
    for (const step of generic.genericSteps) {
      if (fieldOf(step.nature, step.example, 'state') !== 'state') continue;
      expect(step.revert ?? step.saves, step.kind).toBeDefined();
      expect(step.probe, step.kind).toBeDefined();
      const [elsewhere, words = `${step.kind}.definition`] = testedOnHosts[step.kind]?.split('#') ?? [];
      const tested =
        elsewhere === undefined
          ? stateCases.some((one) => one.step === step)
          : readFileSync(elsewhere, 'utf8').includes(words);
      expect(tested, `${step.kind} has a case`).toBe(true);
    }
  });
});
