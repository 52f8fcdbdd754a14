// Before every test file: tells the switches, also those in processes that the test starts, who asks.
import { relative } from 'node:path';
import { expect } from 'vitest';

const { testPath } = expect.getState();
process.env['KUBEXM_MUTANT_TEST'] = testPath === undefined ? '' : relative(process.cwd(), testPath);
