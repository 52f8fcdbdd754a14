import { describe, expect, it } from 'vitest';
import { parseGoMod } from './go-mod.ts';

const TEXT = `// a comment
module "example.org/one" // and another

go 1.24.0

toolchain go1.24.5

godebug default=go1.24
godebug (
	panicnil=1
	asynctimerchan=0
)

require example.org/two v1.2.3
require (
	example.org/three/v2 v2.0.0-rc.1 // indirect

	\`example.org/four\` v0.0.0
)

exclude example.org/bad v1.0.0
replace (
	example.org/two => ./two
	example.org/three/v2 v2.0.0-rc.1 => example.org/fork/v2 v2.0.1
)
retract [v1.0.0, v1.1.0]
tool example.org/two/cmd
`;

describe('parseGoMod', () => {
  it('reads every statement that a build depends on, alone and in brackets', () => {
    expect(parseGoMod(TEXT)).toEqual({
      module: 'example.org/one',
      go: '1.24.0',
      toolchain: '1.24.5',
      godebug: ['default=go1.24', 'panicnil=1', 'asynctimerchan=0'],
      require: [
        { path: 'example.org/two', version: 'v1.2.3' },
        { path: 'example.org/three/v2', version: 'v2.0.0-rc.1' },
        { path: 'example.org/four', version: 'v0.0.0' },
      ],
      exclude: [{ path: 'example.org/bad', version: 'v1.0.0' }],
      replace: [
        { path: 'example.org/two', by: { path: './two' } },
        {
          path: 'example.org/three/v2',
          version: 'v2.0.0-rc.1',
          by: { path: 'example.org/fork/v2', version: 'v2.0.1' },
        },
      ],
    });
  });

  it('knows what a file without a go line means, and one with carriage returns', () => {
    expect(parseGoMod('module a\r\nrequire b.c/d v1.0.0\r\n')).toEqual({
      module: 'a',
      go: '1.16',
      godebug: [],
      require: [{ path: 'b.c/d', version: 'v1.0.0' }],
      exclude: [],
      replace: [],
    });
  });

  it('takes the default toolchain for none', () => {
    expect(parseGoMod('module a\ntoolchain default\n').toolchain).toBeUndefined();
  });
});
