import artifact from '../../../data/errors/artifact.json' with { type: 'json' };
import artifactGo from '../../../data/errors/artifact-go.json' with { type: 'json' };
import artifactImage from '../../../data/errors/artifact-image.json' with { type: 'json' };
import artifactSource from '../../../data/errors/artifact-source.json' with { type: 'json' };
import artifactSupply from '../../../data/errors/artifact-supply.json' with { type: 'json' };
import configComponents from '../../../data/errors/config-components.json' with { type: 'json' };
import configDns from '../../../data/errors/config-dns.json' with { type: 'json' };
import configFile from '../../../data/errors/config-file.json' with { type: 'json' };
import configFlags from '../../../data/errors/config-flags.json' with { type: 'json' };
import configHosts from '../../../data/errors/config-hosts.json' with { type: 'json' };
import configKubernetes from '../../../data/errors/config-kubernetes.json' with { type: 'json' };
import configNames from '../../../data/errors/config-names.json' with { type: 'json' };
import configNotes from '../../../data/errors/config-notes.json' with { type: 'json' };
import configOverrides from '../../../data/errors/config-overrides.json' with { type: 'json' };
import configPki from '../../../data/errors/config-pki.json' with { type: 'json' };
import configReach from '../../../data/errors/config-reach.json' with { type: 'json' };
import configShape from '../../../data/errors/config-shape.json' with { type: 'json' };
import configSyntax from '../../../data/errors/config-syntax.json' with { type: 'json' };
import configValues from '../../../data/errors/config-values.json' with { type: 'json' };
import connection from '../../../data/errors/connection.json' with { type: 'json' };
import health from '../../../data/errors/health.json' with { type: 'json' };
import host from '../../../data/errors/host.json' with { type: 'json' };
import lab from '../../../data/errors/lab.json' with { type: 'json' };
import labUse from '../../../data/errors/lab-use.json' with { type: 'json' };
import machine from '../../../data/errors/machine.json' with { type: 'json' };
import manifest from '../../../data/errors/manifest.json' with { type: 'json' };
import oci from '../../../data/errors/oci.json' with { type: 'json' };
import pki from '../../../data/errors/pki.json' with { type: 'json' };
import plan from '../../../data/errors/plan.json' with { type: 'json' };
import preflight from '../../../data/errors/preflight.json' with { type: 'json' };
import preflightNetwork from '../../../data/errors/preflight-network.json' with { type: 'json' };
import quickstart from '../../../data/errors/quickstart.json' with { type: 'json' };
import record from '../../../data/errors/record.json' with { type: 'json' };
import run from '../../../data/errors/run.json' with { type: 'json' };
import smoke from '../../../data/errors/smoke.json' with { type: 'json' };
import step from '../../../data/errors/step.json' with { type: 'json' };
import usage from '../../../data/errors/usage.json' with { type: 'json' };

/** The texts of all codes: data, so that translators and editors need no code. */
export const texts = {
  ...usage,
  ...configFile,
  ...configSyntax,
  ...configShape,
  ...configOverrides,
  ...configValues,
  ...configHosts,
  ...configComponents,
  ...configKubernetes,
  ...configPki,
  ...configNames,
  ...configReach,
  ...configFlags,
  ...configDns,
  ...configNotes,
  ...connection,
  ...host,
  ...run,
  ...plan,
  ...preflight,
  ...preflightNetwork,
  ...smoke,
  ...health,
  ...step,
  ...pki,
  ...machine,
  ...manifest,
  ...record,
  ...lab,
  ...labUse,
  ...quickstart,
  ...artifact,
  ...artifactSupply,
  ...artifactGo,
  ...artifactImage,
  ...artifactSource,
  ...oci,
};
