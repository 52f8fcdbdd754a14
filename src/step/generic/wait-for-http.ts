import { shellSource } from '../../host/shell-source.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, invalid } from './lib/path.ts';
import { lookOnce, pollScript, type Waiting, waitTraits } from './lib/poll.ts';

/** An HTTP address that has to answer. */
export interface WaitForHttp extends Waiting {
  readonly url: string;
  /** Codes that are good. Default: 200. Redirects are not followed. */
  readonly status?: readonly number[];
  /** An extended regular expression (grep -E) that a line of the body must match. */
  readonly body?: string;
  /** Certificates to trust, as a file on the host. */
  readonly caFile?: string;
  /** Do not check the server's certificate. */
  readonly insecure?: boolean;
}

const TRY_SECONDS = 5;

/** Prints the status and then the body. Not in the script beside: its indentation is part of it. */
const PYTHON = `import ssl, sys, urllib.request, urllib.error
url, ca, insecure, seconds = sys.argv[1:5]
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *a): return None
context = ssl.create_default_context(cafile=ca or None)
if insecure:
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context), Stay)
try:
    try: answer = opener.open(url, timeout=float(seconds))
    except urllib.error.HTTPError as e: answer = e
    body = answer.read(65536)
    print(answer.status if hasattr(answer, "status") else answer.code, flush=True)
    sys.stdout.buffer.write(body)
except Exception as e:
    print("000\\n%s" % e)
`;

const GET = rawScript(shellSource(new URL('./wait-for-http.sh', import.meta.url)));

function attempt(want: WaitForHttp): Script {
  const url = checkedUrl(want.url);
  const codes: Script = { script: (want.status ?? [200]).map((code) => String(Math.trunc(code))).join(' | ') };
  const ca = want.caFile === undefined ? '' : absolute(want.caFile);
  const body =
    want.body === undefined
      ? sh``
      : sh`printf '%s\\n' "$kxg_body" | grep -Eq -e ${want.body} || { kxg_why='the body does not match'; return 1; }`;
  return lines(
    GET,
    sh`kxg_try() {
  kxg_all=$(kxg_get ${url} ${ca} ${want.insecure === true ? '1' : ''} ${TRY_SECONDS} ${PYTHON})
  if [ $? -eq 90 ]; then kxg_why='nothing to ask with: install curl, python3 or wget'; return 90; fi
  kxg_status=$(printf '%s\\n' "$kxg_all" | head -n 1)
  kxg_body=$(printf '%s\\n' "$kxg_all" | tail -n +2)
  case "$kxg_status" in
    ${codes}) ;;
    000 | '') kxg_why="no answer: $(printf '%s\\n' "$kxg_body" | tail -n 1)"; return 1 ;;
    *) kxg_why="status $kxg_status"; return 1 ;;
  esac
  ${body}
  return 0
}`,
  );
}

function checkedUrl(text: string): string {
  if (!URL.canParse(text)) throw invalid(`${JSON.stringify(text)} is no address`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid(`${url.protocol} is not http or https`);
  if (url.username !== '' || url.password !== '') throw invalid('an address to wait for must not carry a password');
  return url.href;
}

/** Waits for an answer over HTTP, asking from the host. */
export const waitForHttp = defineStep<WaitForHttp>()({
  ...waitTraits,
  kind: 'waitForHttp',
  description: 'Waits until an HTTP or HTTPS address, asked from the host, answers with a good status and body.',
  title: (want) => `wait for ${want.url}`,
  probe: (want) => lookOnce(attempt(want)),
  judge: (output, want) =>
    output.code === 0
      ? satisfied()
      : needed({ code: output.code }, [{ what: want.url, from: 'not yet', to: (want.status ?? [200]).join(', ') }]),
  apply: (_host, want) => pollScript(attempt(want), want.url, want),
  example: { url: 'https://127.0.0.1:6443/readyz', body: '^ok$', caFile: '/etc/kubernetes/pki/ca.crt' },
});
