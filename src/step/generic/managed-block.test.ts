import { describe, expect, test } from 'vitest';
import { bytes } from '../../../test/support/seen.ts';
import type { Host } from '../../model/host.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import type { StepIo } from '../../plan/step.ts';
import { type ManagedBlock, managedBlock } from './managed-block.ts';

const { judge, apply } = managedBlock.definition;
const want: ManagedBlock = { path: '/etc/hosts', content: '1.2.3.4 a\n', id: 'k' };
const B = '# BEGIN KubeXM Managed Block k\n';
const E = '# END KubeXM Managed Block k\n';

describe('judge', () => {
  test.each<[string, string, object]>([
    ['there', `/etc/hosts\n\0+x\n${B}1.2.3.4 a\n${E}`, { verdict: 'satisfied' }],
    [
      'no file',
      '/etc/hosts\n\0',
      {
        verdict: 'needed',
        diff: [{ what: '/etc/hosts (k) (new)', text: `@@ line 1 @@\n+${B}+1.2.3.4 a\n+${E.trimEnd()}` }],
      },
    ],
    ['empty file', '/etc/hosts\n\0+', { verdict: 'needed', diff: [{ what: '/etc/hosts (k)' }] }],
    [
      'other lines',
      `/etc/hosts\n\0+x\n${B}5.6.7.8 b\n${E}`,
      {
        verdict: 'needed',
        diff: [{ what: '/etc/hosts (k)', text: `@@ line 1 @@\n x\n ${B}-5.6.7.8 b\n+1.2.3.4 a\n ${E.trimEnd()}` }],
      },
    ],
    [
      'a broken block',
      `/etc/hosts\n\0+${B}x\n`,
      {
        verdict: 'needed',
        diff: [{ what: '/etc/hosts (k)', from: expect.stringContaining('no counterpart') as string }],
      },
    ],
  ])('%s', (_name, answer, verdict) => {
    expect(judge!(bytes(answer), want)).toMatchObject(verdict);
  });

  test('a secret shows no line', () => {
    const verdict = judge!(bytes('/etc/hosts\n\0+'), { ...want, secret: true });
    expect(JSON.stringify(verdict)).not.toContain('1.2.3.4');
  });

  test('nothing wanted, nothing there', () => {
    expect(judge!(bytes('/etc/hosts\n\0'), { ...want, content: '' }).verdict).toBe('satisfied');
  });

  test('what cannot be read is needed, and says why', () => {
    expect(judge!(output(1, '/etc/hosts\n\0', 'it is not a regular file\n'), want)).toMatchObject({
      verdict: 'needed',
      diff: [{ from: 'it is not a regular file' }],
    });
  });
});

describe('apply', () => {
  function fakeHost(answers: readonly ReturnType<typeof output>[]): Host & { scripts: Script[] } {
    const scripts: Script[] = [];
    const run = async (script: Script) => {
      scripts.push(script);
      return answers[scripts.length - 1] ?? output(0);
    };
    return { name: 'n1', scripts, run } as unknown as Host & { scripts: Script[] };
  }

  test('writes only if nobody else has written since', async () => {
    const host = fakeHost([bytes('/etc/hosts\n\0+x\n'), output(1, '', 'somebody else has just changed it\n')]);
    await expect(apply(host, want, {} as StepIo)).rejects.toMatchObject({
      code: 'KX5002',
      params: { path: '/etc/hosts', host: 'n1', reason: 'somebody else has just changed it' },
    });
    expect(host.scripts[1]?.script).toContain(`x\n${B}1.2.3.4 a\n${E}`);
  });

  test('writes to where a link leads', async () => {
    const host = fakeHost([bytes('/run/hosts\n\0+x\n')]);
    await apply(host, want, {} as StepIo);
    expect(host.scripts[1]?.script).toContain('p=/run/hosts;');
  });

  test('a broken block is left alone', async () => {
    const host = fakeHost([bytes(`/etc/hosts\n\0+${B}`)]);
    await expect(apply(host, want, {} as StepIo)).rejects.toMatchObject({ code: 'KX5002' });
    expect(host.scripts).toHaveLength(1);
  });

  test('writes nothing when there is nothing to do', async () => {
    const host = fakeHost([bytes(`/etc/hosts\n\0+${B}1.2.3.4 a\n${E}`)]);
    await apply(host, want, {} as StepIo);
    expect(host.scripts).toHaveLength(1);
  });

  test.each<[string, string, Partial<ManagedBlock>, object]>([
    ['no file', '/etc/hosts\n\0', {}, { exists: false }],
    ['a file without a block', '/etc/hosts\n\0+a\n', {}, { exists: true }],
    ['one whose last line is open', '/etc/hosts\n\0+a', {}, { exists: true, open: true }],
    [
      'one with the block',
      `/etc/hosts\n\0+a\n${B}old\n${E}`,
      {},
      { exists: true, block: { lines: ['old'], above: 1 } },
    ],
    ['a secret one', `/etc/hosts\n\0+a\n${B}old\n${E}`, { secret: true }, { exists: true, hidden: true }],
  ])('remembers of %s what it needs to undo itself', (_name, answer, more, before) => {
    expect(judge!(output(0, answer), { ...want, ...more })).toMatchObject({ verdict: 'needed', seen: before });
  });
});
