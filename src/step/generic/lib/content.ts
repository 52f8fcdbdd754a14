import { Document, type Scalar, visit } from 'yaml';
import type { Json, JsonObject } from '../../../model/json.ts';
import { renderTemplate, type TemplateValues } from '../../../templates/render.ts';
import { invalid } from './path.ts';
import { tomlText } from './toml.ts';

/** What a file holds: text, an object to be serialised, a filled-in template, or bytes. */
export type Content =
  | string
  | { readonly json: Json }
  | { readonly yaml: Json }
  /** Several YAML documents in one file. */
  | { readonly documents: readonly Json[] }
  | { readonly toml: JsonObject }
  /** `{{name}}` in the template's text is replaced. The text itself is part of the plan, so a changed template shows. */
  | { readonly template: string; readonly values: TemplateValues }
  | { readonly base64: string };

/** The bytes a file is to hold. */
export function contentBytes(content: Content): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  if ('base64' in content) return fromBase64(content.base64);
  return Buffer.from(contentText(content));
}

function contentText(content: Exclude<Content, string | { readonly base64: string }>): string {
  if ('json' in content) return `${JSON.stringify(content.json, undefined, 2)}\n`;
  if ('yaml' in content) return yamlText(content.yaml);
  if ('documents' in content) return content.documents.map(yamlText).join('---\n');
  if ('toml' in content) return tomlText(content.toml);
  return renderTemplate(content.template, content.values);
}

/** YAML that parsers of version 1.1 (Kubernetes, netplan) and 1.2 read the same. */
function yamlText(value: Json): string {
  const document = new Document(value, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node: Scalar) {
      if (typeof node.value === 'string' && ambiguous(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, directives: false });
}

/** Words that some version of YAML takes for something other than text. */
function ambiguous(text: string): boolean {
  return /^(?:[-+.]?[0-9].*|[-+]?\.(?:inf|nan)|y|n|yes|no|on|off|true|false|null|~|<<|=)$/i.test(text);
}

function fromBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) throw invalid('the content of a file is not base64');
  return Buffer.from(text, 'base64');
}
