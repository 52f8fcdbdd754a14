import { describe, expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type Image, image } from './image.ts';

const { probe, judge, revert } = image.definition;
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const want: Image = {
  runtime: 'containerd',
  reference: 'registry.k8s.io/pause:3.10.1',
  source: { path: '/tmp/pause.tar', sha256 },
};
const ID = 'sha256:0123456789abcdef';

describe('an imported image', () => {
  test.each([
    ['is as noted', `${ID}\n\0${sha256} ${ID}\n`, 'satisfied', undefined],
    ['is not there', '\0', 'needed', false],
    ['was removed since', `\0${sha256} ${ID}\n`, 'needed', false],
    ['is of another tar', `${ID}\n\0${'0'.repeat(64)} ${ID}\n`, 'needed', true],
    ['was replaced by one of the same name', `sha256:fedcba\n\0${sha256} ${ID}\n`, 'needed', true],
    ['was there before kubexm', `${ID}\n\0`, 'needed', true],
  ])('%s', (_, stdout, expected, had) => {
    const verdict = judge?.(output(0, stdout), want);
    expect(verdict?.verdict).toBe(expected);
    expect(verdict && 'seen' in verdict ? verdict.seen : undefined).toEqual(had === undefined ? undefined : { had });
  });

  test('goes when it is undone, but stays where the host had one of that name', () => {
    expect((revert!({} as never, want, { had: false }) as Script).script).toContain('images rm');
    const kept = (revert!({} as never, want, { had: true }) as Script).script;
    expect(kept).not.toContain('images rm');
    expect(kept).toContain('stays');
  });

  test.each([
    ['a name that is none', { ...want, reference: 'a b' }],
    ['a runtime that is none', { ...want, runtime: 'podman' as 'docker' }],
  ])('%s is refused', (_, wrong) => {
    expect(() => probe?.(wrong)).toThrow();
  });
});
