import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeImage } from '../supply/image-programs.ts';
import { type TestLab, withLab } from './fixture.ts';

/** What ctr gives a container, beside NET_BIND_SERVICE. */
const DEFAULT_RIGHTS =
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT';

/** Options for a container that may take low ports and nothing else. */
export const ONLY_LOW_PORTS = DEFAULT_RIGHTS.split(' ')
  .map((name) => `--cap-drop CAP_${name}`)
  .join(' ');

const PACKAGES = 'containerd iptables procps util-linux';
const INSTALL = `apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ${PACKAGES}`;

/** Containerd of Debian in a lab machine. */
export interface Runtime {
  readonly address: string;
  /** The machine's name. */
  readonly name: string;
  exec(script: string): Promise<string>;
  /** Both streams of ctr, in the namespace of Kubernetes. */
  ctr(words: string): Promise<string>;
  /** Makes an image and imports it, once; its reference. */
  imported(component: string, name: string): Promise<string>;
  /** Copies a file into the machine. */
  put(file: string, inside: string): Promise<void>;
  /** Runs a program inside an image, on the machine's network. */
  inside(reference: string, words: string): Promise<string>;
  /** Starts an image as it is, or with other words. */
  start(reference: string, id: string, options?: string, words?: string): Promise<string>;
  stop(id: string): Promise<void>;
  /** What an address on the machine answers, as soon as it does. */
  answers(port: number, path: string): Promise<string>;
  close(): Promise<void>;
}

/** Boots a machine, and installs the runtime. */
export async function startRuntime(): Promise<Runtime> {
  const lab = await withLab(1);
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-images-'));
  const close = async (): Promise<void> => {
    rmSync(dir, { recursive: true, force: true });
    await lab.close();
  };
  try {
    await lab.exec(1, INSTALL);
    await lab.exec(1, 'systemctl is-active containerd');
    const { address, name } = await lab.machine(1);
    return { address, name, close, ...calls(lab, dir, address) };
  } catch (error) {
    await close();
    throw error;
  }
}

function calls(lab: TestLab, dir: string, address: string): Omit<Runtime, 'address' | 'name' | 'close'> {
  const references = new Map<string, string>();
  const exec = (script: string): Promise<string> => lab.exec(1, script);
  const ctr = (words: string): Promise<string> => exec(`ctr -n k8s.io ${words} 2>&1`);
  const put = async (file: string, inside: string): Promise<void> => {
    const { rootDir } = await lab.machine(1);
    if (rootDir === undefined) throw new Error('the machine does not run');
    copyFileSync(file, join(rootDir, inside));
    chmodSync(join(rootDir, inside), 0o755);
  };
  return {
    exec,
    ctr,
    put,
    imported: async (component, name) => {
      const known = references.get(name);
      if (known !== undefined) return known;
      const { reference, file } = await madeImage(component, name, dir);
      await put(file, `/root/${name}.tar`);
      await ctr(`images import /root/${name}.tar`);
      references.set(name, reference);
      return reference;
    },
    // Of a program that ends at once ctr may close the output before it has read it.
    inside: async (reference, words) => {
      const said = () => ctr(`run --rm --privileged --net-host ${reference} once-$$ ${words}`);
      return (await said()) || (await said()) || (await said());
    },
    start: (reference, id, options = '', words = '') => ctr(`run -d --net-host ${options} ${reference} ${id} ${words}`),
    stop: async (id) => {
      await exec(
        `ctr -n k8s.io tasks kill -s SIGKILL ${id} || true; sleep 0.5; ctr -n k8s.io tasks rm -f ${id} || true`,
      );
      await ctr(`containers rm ${id}`);
    },
    answers: async (port, path) => {
      let last: unknown;
      for (let tries = 0; tries < 40; tries++) {
        try {
          return await (await fetch(`http://${address}:${port}${path}`, { signal: AbortSignal.timeout(2000) })).text();
        } catch (error) {
          last = error;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      }
      throw last;
    },
  };
}

/** An option that shows a file or directory of the machine to a container. */
export function bound(from: string, to: string, rights: 'ro' | 'rw' = 'ro'): string {
  return `--mount type=bind,src=${from},dst=${to},options=rbind:${rights}`;
}
