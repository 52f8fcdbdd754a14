import { resolve } from 'node:path';
import type { Problem } from '../../index.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { printValue } from '../output/print-data.ts';
import { allFormats, configOptions, type Format, outputOption } from '../shared-options.ts';
import { countText } from '../texts/index.ts';

/** `kubexm validate config` */
export const validateConfigCommand: CommandSpec = {
  path: 'validate config',
  summary: 'cmd.validate-config',
  details: 'cmd.validate-config.details',
  examples: [
    { line: 'kubexm validate config -f config.yaml', text: 'ex.validate' },
    { line: 'kubexm validate config -f config.yaml -o json', text: 'ex.validate-json' },
  ],
  options: [...configOptions, outputOption(allFormats, 'table')],
  action: validate,
};

async function validate(call: Call): Promise<0 | 3> {
  const { io, options } = call;
  const format = options.text('output') as Format;
  const shownAs = options.text('file');
  const { configFile, overrides } = await chooseCluster(call);
  const { checkConfig, countProblems, createCluster, renderProblems, errorTitle, errorRemedy } = await import(
    '../../index.ts'
  );
  const file = shownAs ?? resolve(io.cwd, configFile);
  const { cluster, problems, source } = await checkConfig(file, createCluster, { env: io.env, overrides });
  const { errors, warnings } = countProblems(problems);
  const valid = cluster !== undefined && errors === 0;

  if (format === 'json' || format === 'yaml') {
    const asValue = (problem: Problem) => ({
      code: problem.code,
      severity: problem.severity,
      file: shownAs ?? configFile,
      line: problem.at.line,
      column: problem.at.column,
      message: errorTitle(problem.code, problem.params, io.lang),
      remedy: errorRemedy(problem.code, problem.params, io.lang),
    });
    printValue(io, format, {
      valid,
      errors,
      warnings,
      cluster: cluster?.metadata.name ?? null,
      problems: problems.map(asValue),
    });
    return valid ? 0 : 3;
  }
  if (problems.length > 0) {
    io.note(renderProblems(problems, source, { lang: io.lang, color: io.colorNote }).trimEnd(), '');
  }
  const shown = shownAs ?? configFile;
  const warned = warnings === 0 ? '' : `${io.say('listComma')}${countText(io.say, 'warning', warnings)}`;
  if (!valid) {
    io.note(`${shown}: ${io.paintNote('boldRed', `${countText(io.say, 'error', errors)}${warned}`)}`);
    return 3;
  }
  if (format === 'name') io.print(cluster.metadata.name);
  else {
    const hosts = countText(io.say, 'host', cluster.spec.hosts.length);
    io.print(
      `${io.paint('green', io.unicode ? '✓' : 'v')} ${io.say('validate.valid', { file: shown, cluster: cluster.metadata.name, hosts })}${warned}`,
    );
  }
  return 0;
}
