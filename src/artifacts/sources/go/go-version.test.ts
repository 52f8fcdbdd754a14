import { describe, expect, it } from 'vitest';
import { chooseToolchain, compareGo, neededGo, plainGo } from './go-version.ts';

describe('compareGo', () => {
  it.each([
    ['1.9', '1.10'],
    ['1.26rc1', '1.26'],
    ['1.26beta2', '1.26rc1'],
    ['1.26rc1', '1.26rc2'],
    ['1.25.9', '1.26rc1'],
    ['1.26.1', '1.26.10'],
    ['go1.24.0', '1.24.1'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareGo(older, newer)).toBeLessThan(0);
    expect(compareGo(newer, older)).toBeGreaterThan(0);
  });

  it('takes a line and its first release for the same', () => {
    expect(compareGo('1.24', '1.24.0')).toBe(0);
  });
});

describe('plainGo', () => {
  it.each([
    ['go1.26.8', '1.26.8'],
    ['1.24', '1.24'],
    ['go1.26rc1', '1.26rc1'],
    ['go1.25.5 X:nodwarf5', '1.25.5'],
    ['go1.22.3-custom', '1.22.3'],
    ['devel +a1b2c3', undefined],
    ['go2', undefined],
    ['', undefined],
  ])('%s is %s', (text, version) => {
    expect(plainGo(text)).toBe(version);
  });
});

describe('chooseToolchain', () => {
  it.each([
    ['new enough', '1.26.8', [{ go: '1.24.0' }], 'local'],
    ['exactly as old', '1.24.0', [{ go: '1.24' }], 'local'],
    [
      'newer than what the toolchain line wishes is not needed',
      '1.24.0',
      [{ go: '1.23', toolchain: '1.24.5' }],
      'local',
    ],
    ['too old', '1.22.1', [{ go: '1.24.0' }], 'go1.24.0'],
    ['too old, and a newer one is wished', '1.22.1', [{ go: '1.24.0', toolchain: '1.24.5' }], 'go1.24.5'],
    ['too old for one of several', '1.23.4', [{ go: '1.22' }, { go: '1.25' }], 'go1.25.0'],
    ['of the time before 1.21', '1.19', [{ go: '1.20' }], 'go1.20'],
  ])('%s', (_, installed, modules, expected) => {
    expect(chooseToolchain(installed, modules)).toBe(expected);
  });

  it('needs the newest of all lines', () => {
    expect(neededGo([{ go: '1.9' }, { go: '1.24.2' }, { go: '1.24' }])).toBe('1.24.2');
    expect(neededGo([])).toBe('1.16');
  });
});
