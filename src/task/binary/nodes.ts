import { binaryKubernetes } from '../../component/kubernetes.ts';
import { marked, on, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { register } from '../../step/binary/register.ts';
import { apiServerReady, preJoin, programService, proxyHealthy } from '../../step/binary/services.ts';
import { commonSettings } from '../kubernetes/settings.ts';
import { firstMaster, healthyMaster, targetNodes } from '../nodes.ts';
import { controlPlaneOn, registerOn, serverOf } from './control-plane.ts';
import { programFilesOf } from './files.ts';

/** All nodes: other masters with their control planes, then the kubelet and kube-proxy of each. None waits for another. */
export const binaryNodesTask = defineTask({
  name: 'kubernetes/nodes',
  description: 'Start the control plane of the other masters, and the kubelet and kube-proxy of every node.',
  tags: ['kubernetes', 'join'],
  steps: [apiServerReady, preJoin, programService, register, proxyHealthy],
  isRequired: ({ cluster }) => binaryKubernetes.isUsed(cluster),
  plan: (context) => {
    const { name: first } = firstMaster(context);
    const speaker = healthyMaster(context);
    const nodes = targetNodes(context);
    const joining = nodes.filter(({ name }) => name !== first);
    const masters = joining.filter(({ roles }) => roles.includes('master'));
    const others = joining.filter(({ name }) => name !== speaker.name);
    const { fingerprint } = programFilesOf(context);
    const answers = on(speaker, apiServerReady({}), { name: 'answers' });
    const begun = member(answers.ref(), 'stdout');
    const url = healthAddress(context);
    const service = (program: 'kubelet' | 'kube-proxy') =>
      on(nodes, (host) => programService({ program, fingerprint: fingerprint(program, host) }), { name: program });
    return sequence(
      answers,
      on(others, preJoin({ server: serverOf(context, speaker), begun })),
      controlPlaneOn(context, masters),
      marked('node-joined', registerOn(context, joining, speaker)),
      service('kubelet'),
      service('kube-proxy'),
      marked(
        'proxy-ready',
        on(nodes, ({ name }) => proxyHealthy({ url, node: name })),
      ),
    );
  },
});

/** Where kube-proxy says whether it is healthy: everywhere, unless the user says otherwise. */
function healthAddress(context: PlanContext): string {
  const { healthzBindAddress } = commonSettings(context).proxy;
  const given = typeof healthzBindAddress === 'string' ? healthzBindAddress : '0.0.0.0:10256';
  return `http://${given.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')}`;
}
