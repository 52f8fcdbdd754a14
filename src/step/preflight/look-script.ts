import { lookAtModules } from '../../host/os/module.ts';
import { shellSource } from '../../host/shell-source.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { LISTENING } from './ports.ts';

/** What is looked for on a machine. */
export interface LookedFor {
  readonly ports: readonly number[];
  readonly modules: readonly string[];
  /** Where etcd's data will be. */
  readonly etcdDir?: string;
  /** A name that has to be known here. */
  readonly domain?: string;
  /** Addresses that nobody may have yet, and a port to try them at. */
  readonly free?: { readonly addresses: readonly string[]; readonly port: number };
}

const FUNCTIONS = lines(LISTENING, rawScript(shellSource(new URL('./look.sh', import.meta.url))));

/** A read-only script that looks at everything facts do not have, in sections as `splitFacts` reads them. */
export function lookScript({ ports, modules, etcdDir, domain, free }: LookedFor): Script {
  return lines(
    FUNCTIONS,
    sh`kxp_owner
echo '@@ modules'`,
    lookAtModules(modules),
    sh`kxp_left ${etcdDir?.replace(/\/+$/, '') ?? ''}
kxp_ports ${ports}
kxp_names`,
    ...(domain === undefined ? [] : [sh`kxp_domain ${domain}`]),
    ...(free === undefined ? [] : [sh`kxp_taken ${free.port} ${free.addresses}`]),
    sh`:`,
  );
}
