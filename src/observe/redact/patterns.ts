import { MASK } from '../../model/text/mask.ts';

// One cheap look that decides whether any pattern below can match at all. Lower and upper case are spelt out where they occur,
// because a case-insensitive search is several times slower.
const SUSPICIOUS =
  /PRIVATE KEY|LS0tLS1CRUdJTi|[Pp][Aa][Ss][Ss]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Tt][Oo][Kk][Ee][Nn]|[Kk][Ee][Yy]|[Aa][Uu][Tt][Hh]|[Bb][Ee][Aa][Rr][Ee][Rr]|:\/\/|eyJ|\$[1-7y]|-u|[a-z0-9]\.[a-z0-9]{16}/;

const NAMES = String.raw`(?:passw(?:or)?d|passphrase|secret|token|client-key-data|(?:certificate|access|secret|api|encryption|signing)[_-]?key|private[_-]?key(?=["']?\s*[:=]\s*["']?[^~./\s]))`;
// Text in quotes (also in quotes that are escaped themselves), or a word.
const QUOTED = String.raw`"(?:[^"\\]|\\.)*(?:"|$)|\\"(?:[^"\\]|\\[^"])*(?:\\"|$)|'(?:[^'\\]|\\.)*(?:'|$)`;
// What only says where a secret is, is none.
const POINTER = String.raw`(?!["']?(?:env:|file:|prompt\b|true\b|false\b|null\b))`;

type Rule = readonly [pattern: RegExp, replacement: string | ((match: string, ...groups: string[]) => string)];

const rules: readonly Rule[] = [
  [/(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)[\s\S]*?(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g, `$1${MASK}$2`],
  // The same in base64, as kubeconfigs carry it. Certificates, requests and public keys may be shown.
  [/LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM|BORVcgQ0VS|BSU0EgUFVC)[A-Za-z0-9+/=]{16,}/g, MASK],
  [/([Aa]uthorization["']?[ \t]*[:=][ \t]*["']?)[^\r\n"']+/g, `$1${MASK}`],
  [/\b([Bb]earer[ \t]+)(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{8,}/g, `$1${MASK}`],
  // `password: two words` as a line of YAML: all of the line.
  [
    new RegExp(
      String.raw`(?<=^[ \t+-]{0,80}["']?[\w.-]{0,40})(${NAMES}["']?:[ \t]+)${POINTER}(?!["'|>])[^\r\n]+`,
      'gim',
    ),
    `$1${MASK}`,
  ],
  [new RegExp(String.raw`(${NAMES}(?:\\?["'])?[ \t]*:[ \t]*)${POINTER}(?:${QUOTED}|[^\s,;}\]]+)`, 'gi'), masked],
  [new RegExp(String.raw`(${NAMES}(?:\\?["'])?[ \t]*=[ \t]*)${POINTER}(?:${QUOTED}|\S+)`, 'gi'), masked],
  [new RegExp(String.raw`((?<=--[\w-]{0,40})${NAMES}[ \t]+)(?!-)(?:${QUOTED}|\S+)`, 'gi'), masked],
  [/(\bsshpass[ \t]+-p[ \t]*)('(?:[^']|'\\'')*'|"(?:[^"\\]|\\.)*"|\S+)/g, `$1${MASK}`],
  [/((?:^|\s)(?:-u|--user|--proxy-user)(?:=|[ \t]+)["']?[^\s:"']{1,64}:)[^\s"']+/g, `$1${MASK}`],
  // kubeadm's bootstrap tokens, addresses with a password in them, JSON web tokens, /etc/shadow.
  [/(?<![A-Za-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9])/g, MASK],
  [/\b([a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@"']{0,64}:)[^\s/@"']+(?=@)/g, `$1${MASK}`],
  [/\beyJ[A-Za-z0-9_-]{8,512}\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, MASK],
  [/\$(?:[1567]|2[aby]|y)\$[A-Za-z0-9./$=,]{8,}/g, MASK],
  [/(\bauth(?:\\?["'])?[ \t]*[:=][ \t]*(?:\\?["'])?)([A-Za-z0-9+/]{4,}={0,2})/g, registryAuth],
];

/** A text without what looks like a secret even though nobody named it. */
export function maskPatterns(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let out = text;
  for (const [pattern, replacement] of rules) {
    out = typeof replacement === 'string' ? out.replace(pattern, replacement) : out.replace(pattern, replacement);
  }
  return out;
}

/** Keeps the quotes around a masked value, so that JSON stays JSON. */
function masked(match: string, name = ''): string {
  const quote = /^\\?["']/.exec(match.slice(name.length))?.[0] ?? '';
  return `${name}${quote}${MASK}${match.length > name.length + quote.length && match.endsWith(quote) ? quote : ''}`;
}

/** `auth` in a registry's credentials is base64 of `user:password`; other values of that name stay. */
function registryAuth(match: string, name = '', value = ''): string {
  return /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1')) ? `${name}${MASK}` : match;
}
