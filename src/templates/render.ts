import { kubexmError } from '../model/errors/index.ts';

/** What a template's names stand for. */
export type TemplateValues = { readonly [name: string]: string | number | boolean };

/** Fills in `{{name}}`. Substitution only: a name without a value, or a value without a place, is a defect. */
export function renderTemplate(text: string, values: TemplateValues): string {
  const used = new Set<string>();
  const result = text.replace(/\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g, (_whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw kubexmError('KX4001', { detail: `a template needs a value for {{${name}}}` });
    used.add(name);
    return String(value);
  });
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw kubexmError('KX4001', { detail: `a template does not use ${unused.join(', ')}` });
  return result;
}
