import { expect, test } from 'vitest';
import { call, cli, tempDir } from './rig/cli.ts';

const home = () => ({ KUBEXM_HOME: tempDir() });

test.each<[string[], number, string]>([
  [['lab', 'create', 't', '--sudo-password'], 64, 'KX1007 kubexm lab create --sudo-password needs the option --user'],
  [['lab', 'create', 't', '--memory', 'much'], 64, 'KX1006 invalid value much for --memory'],
  [['lab', 'create', 't', '--machines', '0'], 64, 'KX1006 invalid value 0 for --machines'],
  [['lab', 'create', 't', '--image', 'debian-11'], 64, 'KX1006 invalid value debian-11 for --image'],
  [
    ['lab', 'create', 't', '--sudo-password=secret', '--user', 'a'],
    64,
    'KX1002 kubexm lab create has no option --sudo-password=…',
  ],
  [['lab', 'delay', 't-1', '40'], 64, 'KX1006 invalid value 40 for DELAY'],
  [['lab', 'delay', 't-1', '40ms'], 64, 'KX6003 no lab has a machine t-1'],
  [['lab', 'ssh', 't-1'], 64, 'KX6003 no lab has a machine t-1'],
  [['lab', 'stop', 't'], 64, 'KX6003 no lab has a machine t'],
  [['lab', 'diff', 't-1'], 64, 'KX6003 no lab has a machine t-1'],
  [['lab', 'config', 't'], 64, 'KX6004 there is no lab t'],
  [['lab', 'delete'], 64, 'KX1003 kubexm lab delete needs NAME'],
  [['run', 'command', '--lab', 't', '--', 'true'], 64, 'KX6004 there is no lab t'],
  [['run', 'command', '--lab', 't', '-f', 'x.yaml', '--', 'true'], 64, 'KX1008 --lab and --file exclude each other'],
  [['validate', 'config', '--lab', 't', '-c', 'x'], 64, 'KX1008 --lab and --cluster-name exclude each other'],
  [['get', 'runs', '--lab', 't'], 64, 'KX6004 there is no lab t'],
])('kubexm %j ends with %i', async (args, code, message) => {
  const ended = await call(args, { env: home() });
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toContain('secret');
});

test('without labs there is nothing to list', async () => {
  const env = home();
  const table = await cli(['lab', 'list'], { env });
  expect(table).toMatchObject({ code: 0, stdout: '' });
  expect(table.stderr).toContain('kubexm lab create');
  expect(await call(['lab', 'list', '-o', 'json'], { env })).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  expect(await call(['lab', 'list', '-o', 'name'], { env })).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
