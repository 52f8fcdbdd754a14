import { randomUUID } from 'node:crypto';

/** What is asked of a machine, by the name of the answer. */
const QUESTIONS = {
  // Until the boot has ended, units come and go by themselves.
  settled: 'timeout 30 systemctl is-system-running --wait',
  packages: `dpkg-query -W -f '\${Package}\\t\${Architecture}\\t\${Version}\\t\${db:Status-Want}\\t\${db:Status-Status}\\n'`,
  marks: 'cat /var/lib/apt/extended_states',
  passwd: 'cat /etc/passwd',
  shadow: 'cat /etc/shadow',
  subuid: 'cat /etc/subuid',
  subgid: 'cat /etc/subgid',
  group: 'cat /etc/group',
  gshadow: 'cat /etc/gshadow',
  // What `systemctl list-unit-files` tells costs a third of a second of the machine's systemd; the links are what it looks at.
  unitLinks: `find /etc/systemd/system /run/systemd/system -type l -printf '%p\\t%l\\n'; true`,
  units: 'systemctl list-units --all --no-legend --no-pager --full --plain',
  hostname: 'cat /proc/sys/kernel/hostname',
  timezone: 'readlink -f /etc/localtime',
  links: 'ip -j -d link',
  addresses: 'ip -j addr',
  routes: 'ip -j -4 route show table all',
  routes6: 'ip -j -6 route show table all',
  rules: 'ip -j -4 rule',
  rules6: 'ip -j -6 rule',
  mounts: 'cat /proc/1/mountinfo',
  cgroups: 'test -e /sys/fs/cgroup/cgroup.controllers && echo unified; find /sys/fs/cgroup -mindepth 1 -type d',
  // Only what can be set; binfmt_misc would be mounted by looking at it.
  sysctls: "find /proc/sys -path /proc/sys/fs/binfmt_misc -prune -o -type f -perm -600 -exec grep -sH '' {} +; true",
  modules: 'cat /proc/modules',
  sockets: 'ss -Hlntup',
  swaps: 'cat /proc/swaps',
} as const;

/** The name of an answer. */
export type Question = keyof typeof QUESTIONS;

/** What a command answered. */
export interface Answer {
  readonly code: number;
  readonly text: string;
}

/** Every answer by its name; one that never came is missing. */
export type Answers = ReadonlyMap<Question, Answer>;

/** One read-only script with all questions, and how its output is read. */
export function stateScript(mark: string = `kubexm-${randomUUID()}`): {
  readonly script: string;
  readonly read: (output: string) => Answers;
} {
  const parts = Object.entries(QUESTIONS).map(
    ([name, command]) => `echo '${mark} ${name}'\n( ${command} ) </dev/null 2>/dev/null\necho "${mark} = $?"`,
  );
  const script = ['export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...parts];
  return { script: `${script.join('\n')}\n`, read: (output) => readAnswers(output, mark) };
}

function readAnswers(output: string, mark: string): Answers {
  const answers = new Map<Question, Answer>();
  // What a command prints need not end with a line end: the second mark may stand anywhere.
  const pattern = new RegExp(`${mark} (\\w+)\\n(.*?)${mark} = (\\d+)\\n`, 'gs');
  for (const [, name = '', text = '', code = ''] of output.matchAll(pattern)) {
    if (name in QUESTIONS) answers.set(name as Question, { code: Number(code), text });
  }
  return answers;
}
