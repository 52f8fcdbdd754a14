import { z } from 'zod';
import { choice, free, line, marked, oneOrMany } from './field.ts';
import { label } from './text.ts';

const addon = marked(
  z.strictObject({
    name: label().describe('Name of the addon: one that kubexm knows, or yours.'),
    type: choice(['yaml', 'helm'])
      .optional()
      .describe('How yours is installed: manifests or a chart. Leave out for an addon that kubexm knows.'),
    namespace: label().optional().describe('Namespace to install into.'),
    path: oneOrMany(line()).default([]).describe('yaml: files or URLs of manifests.'),
    repo: line().optional().describe('helm: URL of the chart repository.'),
    chart: line().optional().describe('helm: name of the chart, a file, or an oci:// address.'),
    version: line().optional().describe('helm: version of the chart.'),
    values: free().describe('helm: values of the chart.'),
    valuesFile: line().optional().describe('helm: a file with values.'),
  }),
  { shorthand: 'name' },
);

/** `spec.addons`. */
export const addonsSchema = z
  .array(addon)
  .default([])
  .describe('What to install on top: names, or charts and manifests of your own.');
