import { parseIp } from './ip.ts';
import { isDomain } from './names.ts';

/** Names and addresses read from text in the form of /etc/hosts, and the words that fit nowhere. */
export interface HostsText {
  readonly entries: readonly { readonly address: string; readonly domain: string }[];
  readonly wrong: readonly string[];
}

/**
 * Reads lines of /etc/hosts. YAML folds the lines of unquoted text into one, so an address also starts a new entry
 * in the middle of a line.
 */
export function parseHostsText(text: string): HostsText {
  const entries: { address: string; domain: string }[] = [];
  const wrong: string[] = [];
  for (const line of text.split('\n')) {
    let address: string | undefined;
    let names = 0;
    const end = (): void => {
      if (address !== undefined && names === 0) wrong.push(address);
    };
    for (const word of line.replace(/#.*/, '').split(/\s+/).filter(Boolean)) {
      if (parseIp(word) !== undefined) {
        end();
        [address, names] = [word, 0];
      } else if (address !== undefined && isDomain(word.toLowerCase())) {
        entries.push({ address, domain: word.toLowerCase() });
        names += 1;
      } else wrong.push(word);
    }
    end();
  }
  return { entries, wrong };
}
