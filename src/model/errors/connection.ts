import type { ErrorEntry } from './entry.ts';
import { hostErrors } from './host.ts';

/** KX3xxx: reaching hosts, becoming root on them, and all of host.ts. */
export const connectionErrors = {
  KX3001: {
    exit: 5,
    title: {
      en: 'host {host} refused the connection to {address} port {port}',
      zh: '主机 {host} 拒绝了到 {address} 端口 {port} 的连接',
    },
    remedy: {
      en: 'Check that sshd runs there and listens on that port, and that no firewall rejects it.',
      zh: '请确认该主机上 sshd 正在运行并监听该端口，且没有防火墙拒绝连接。',
    },
  },
  KX3002: {
    exit: 5,
    title: {
      en: 'host {host} did not answer at {address} port {port} within {seconds} s',
      zh: '主机 {host}（{address} 端口 {port}）在 {seconds} 秒内没有响应',
    },
    remedy: {
      en: 'Check the address, that the machine is up, and that the network and firewalls let you reach the port.',
      zh: '请检查地址是否正确、机器是否开机，以及网络和防火墙是否允许访问该端口。',
    },
  },
  KX3003: {
    exit: 5,
    title: { en: 'the name {address} of host {host} is not known', zh: '无法解析主机 {host} 的名称 {address}' },
    remedy: {
      en: 'Check the spelling, or give an IP address.',
      zh: '请检查拼写，或改用 IP 地址。',
    },
  },
  KX3004: {
    exit: 5,
    title: {
      en: 'host {host} let {user} in by none of: {tried}; it offers: {offered}',
      zh: '主机 {host} 不接受 {user} 的登录；已尝试：{tried}；服务器提供：{offered}',
    },
    remedy: {
      en: 'Check the user and the key or password for this host. Try: ssh -p {port} {user}@{address}',
      zh: '请检查该主机的用户名、密钥或密码。可尝试：ssh -p {port} {user}@{address}',
    },
  },
  KX3005: {
    exit: 5,
    title: {
      en: 'the host key of {host} changed: known {known}, now {seen}',
      zh: '主机 {host} 的主机密钥已更改：已知 {known}，现在 {seen}',
    },
    remedy: {
      en: 'Somebody may be intercepting the connection. On the console of the machine, run: cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - If it prints the new fingerprint, forget the old key, which is at {file}, with: {command}',
      zh: '可能存在中间人攻击。请在该机器的控制台上运行：cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - 如果输出中有新指纹，请删除 {file} 处的旧密钥：{command}',
    },
  },
  KX3006: {
    exit: 5,
    title: { en: 'the host key of {host} is revoked: {seen}', zh: '主机 {host} 的主机密钥已被吊销：{seen}' },
    remedy: {
      en: 'The key is marked @revoked in {file}. Give the machine a new host key.',
      zh: '该密钥在 {file} 中标记为 @revoked。请为该机器更换主机密钥。',
    },
  },
  KX3007: {
    exit: 5,
    title: {
      en: 'the host key of {host} is not known: {seen}',
      zh: '主机 {host} 的主机密钥未知：{seen}',
    },
    remedy: {
      en: 'Unknown keys are refused (ssh.hostKeyPolicy: strict, or StrictHostKeyChecking in ~/.ssh/config). Compare the fingerprint with what this prints on the console of the machine: cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - Then write it as hostKey of this host, or add the key to {file}.',
      zh: '未知密钥会被拒绝（ssh.hostKeyPolicy: strict，或 ~/.ssh/config 中的 StrictHostKeyChecking）。请与该机器控制台上以下命令的输出核对指纹：cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - 然后将其写入该主机的 hostKey，或将密钥加入 {file}。',
    },
  },
  KX3008: {
    exit: 5,
    title: {
      en: 'the private key {file} for host {host} cannot be used: {reason}',
      zh: '主机 {host} 的私钥 {file} 无法使用：{reason}',
    },
    remedy: {
      en: 'Check that the file exists, that you may read it, and that it is a private key.',
      zh: '请确认文件存在、可读，并且是私钥。',
    },
  },
  KX3009: {
    exit: 5,
    title: {
      en: 'the private key {file} for host {host} is encrypted: {reason}',
      zh: '主机 {host} 的私钥 {file} 已加密：{reason}',
    },
    remedy: {
      en: 'Give the right passphrase, or load the key into ssh-agent with ssh-add.',
      zh: '请提供正确的口令，或用 ssh-add 将密钥加载到 ssh-agent。',
    },
  },
  KX3010: {
    exit: 5,
    title: {
      en: 'the SSH agent for host {host} is not there: {reason}',
      zh: '主机 {host} 的 SSH agent 不可用：{reason}',
    },
    remedy: {
      en: 'Start it with: eval "$(ssh-agent)" && ssh-add, or name a private key instead.',
      zh: '请启动 agent：eval "$(ssh-agent)" && ssh-add，或改为指定私钥。',
    },
  },
  KX3011: {
    exit: 5,
    title: {
      en: 'the connection to {host} was lost while a command ran',
      zh: '命令执行期间与主机 {host} 的连接中断',
    },
    remedy: {
      en: 'The command was stopped; how far it came is not known. Look at the host, or run again with --resume where the command takes it: kubexm checks first.',
      zh: '命令已停止，执行进度未知。请检查该主机；支持 --resume 的命令请加上它再次运行：kubexm 会先检查。',
    },
  },
  KX3012: {
    exit: 5,
    title: {
      en: 'host {host} was lost and did not come back within {seconds} s: {reason}',
      zh: '与主机 {host} 失去联系，{seconds} 秒内未恢复：{reason}',
    },
    remedy: {
      en: 'Bring the machine or its network back, then run again, with --resume where the command takes it.',
      zh: '请恢复该机器或其网络，然后再次运行；支持 --resume 的命令请加上它。',
    },
  },
  KX3013: {
    exit: 5,
    title: {
      en: 'host {host} cannot be reached through bastion {hop}: {reason}',
      zh: '无法通过跳板机 {hop} 连接主机 {host}：{reason}',
    },
    remedy: {
      en: 'Check that you can log in to the bastion, and that it may reach the next hop and forwards TCP (AllowTcpForwarding).',
      zh: '请确认可以登录跳板机，跳板机能访问下一跳，并允许 TCP 转发（AllowTcpForwarding）。',
    },
  },
  KX3014: {
    exit: 5,
    title: {
      en: 'host {host} at {address} port {port} does not speak SSH as expected: {reason}',
      zh: '主机 {host}（{address} 端口 {port}）的 SSH 通信异常：{reason}',
    },
    remedy: {
      en: "Check the port, and sshd's log on the machine. Too many logins at once are cut by MaxStartups.",
      zh: '请检查端口以及该机器上 sshd 的日志。同时登录过多会被 MaxStartups 切断。',
    },
  },
  KX3015: {
    exit: 5,
    title: {
      en: 'host {host} opens no more sessions: {reason}',
      zh: '主机 {host} 不再打开新的会话：{reason}',
    },
    remedy: {
      en: 'Raise MaxSessions in its sshd_config (10 is the default; kubexm uses up to 8).',
      zh: '请在其 sshd_config 中提高 MaxSessions（默认 10，kubexm 最多使用 8）。',
    },
  },
  KX3016: {
    exit: 5,
    title: {
      en: 'there is no way to host {host} at {address} port {port}: {reason}',
      zh: '无法到达主机 {host}（{address} 端口 {port}）：{reason}',
    },
    remedy: {
      en: 'Check the address, and the routes and network of this machine.',
      zh: '请检查地址以及本机的路由和网络。',
    },
  },
  KX3017: {
    exit: 5,
    title: { en: 'the SSH settings in {file} cannot be used: {detail}', zh: '无法使用 {file} 中的 SSH 设置：{detail}' },
    remedy: {
      en: 'Correct the file. `ssh -G <host>` shows how OpenSSH reads it.',
      zh: '请修正该文件。可用 `ssh -G <主机>` 查看 OpenSSH 的解析结果。',
    },
  },
  KX3018: {
    exit: 5,
    title: {
      en: 'host {host} is connected but did not respond within {seconds} s: {waiting}',
      zh: '主机 {host} 已连接，但在 {seconds} 秒内没有响应：{waiting}',
    },
    remedy: {
      en: 'Log in by hand and look for what hangs there: load, memory, disk errors, network file systems that do not answer.',
      zh: '请手动登录该主机，检查卡住的原因：负载、内存、磁盘错误，或无响应的网络文件系统。',
    },
  },
  KX3019: {
    exit: 5,
    title: {
      en: 'the connection to {host} keeps breaking: {count} times in a row under the same work',
      zh: '与主机 {host} 的连接反复中断：同一操作连续中断 {count} 次',
    },
    remedy: {
      en: 'Check the network between here and the host, and sshd on it, then run again, with --resume where the command takes it.',
      zh: '请检查本机与该主机之间的网络以及该主机上的 sshd，然后再次运行；支持 --resume 的命令请加上它。',
    },
  },
  KX3020: {
    exit: 5,
    title: { en: 'no shell could be started on {host}: {reason}', zh: '无法在主机 {host} 上启动 shell：{reason}' },
    remedy: {
      en: "kubexm needs to run /bin/sh over SSH. Check the user's login shell, and ForceCommand in sshd_config.",
      zh: 'kubexm 需要通过 SSH 运行 /bin/sh。请检查用户的登录 shell 以及 sshd_config 中的 ForceCommand。',
    },
  },
  KX3021: {
    exit: 5,
    title: {
      en: 'sudo on {host} asks for the password of {user}, and none was given',
      zh: '主机 {host} 上的 sudo 需要 {user} 的密码，但未提供',
    },
    remedy: {
      en: 'Give the password, or allow {user} to use sudo without one (NOPASSWD).',
      zh: '请提供密码，或允许 {user} 免密使用 sudo（NOPASSWD）。',
    },
  },
  KX3022: {
    exit: 5,
    title: {
      en: 'sudo on {host} did not take the password of {user}',
      zh: '主机 {host} 上的 sudo 不接受 {user} 的密码',
    },
    remedy: { en: 'Check the sudo password for this host.', zh: '请检查该主机的 sudo 密码。' },
  },
  KX3023: {
    exit: 5,
    title: {
      en: 'sudo on {host} does not let {user} become root',
      zh: '主机 {host} 上的 sudo 不允许 {user} 成为 root',
    },
    remedy: {
      en: 'Add {user} to the sudo or wheel group there, or log in as root.',
      zh: '请将 {user} 加入该主机的 sudo 或 wheel 组，或以 root 登录。',
    },
  },
  KX3024: {
    exit: 5,
    title: {
      en: 'there is no sudo on {host}, and {user} is not root',
      zh: '主机 {host} 上没有 sudo，而 {user} 不是 root',
    },
    remedy: { en: 'Install sudo there, or log in as root.', zh: '请在该主机安装 sudo，或以 root 登录。' },
  },
  KX3025: {
    exit: 5,
    title: { en: 'sudo on {host} failed for {user}: {reason}', zh: '主机 {host} 上 {user} 的 sudo 失败：{reason}' },
    remedy: {
      en: 'Log in by hand and try: sudo -S true',
      zh: '请手动登录并尝试：sudo -S true',
    },
  },
  KX3026: {
    exit: 5,
    title: {
      en: '/bin/sh on {host} runs its own applets instead of the programs of the machine',
      zh: '主机 {host} 上的 /bin/sh 运行自带的 applet，而不是系统中的程序',
    },
    remedy: {
      en: 'It is a busybox built with FEATURE_SH_STANDALONE. Install dash or bash there: kubexm then uses that shell, and /bin/sh stays as it is.',
      zh: '它是以 FEATURE_SH_STANDALONE 构建的 busybox。请在该主机安装 dash 或 bash：kubexm 会使用该 shell，/bin/sh 保持不变。',
    },
  },
  KX3027: {
    exit: 5,
    title: {
      en: '{host} shows the host key {seen}, which is not in its hostKey: {known}',
      zh: '主机 {host} 出示的主机密钥 {seen} 不在其 hostKey 中：{known}',
    },
    remedy: {
      en: 'Somebody may be intercepting the connection. On the console of the machine, run: cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - If it prints the new fingerprint, write that one as hostKey of {host} in the configuration.',
      zh: '可能存在中间人攻击。请在该机器的控制台上运行：cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - 如果输出中有新指纹，请将其写入配置中 {host} 的 hostKey。',
    },
  },
  KX3028: {
    exit: 5,
    title: {
      en: 'the host key of {host} is not known, and nobody can be asked: {seen}',
      zh: '主机 {host} 的主机密钥未知，且无法询问：{seen}',
    },
    remedy: {
      en: 'ssh.hostKeyPolicy is ask. Run kubexm at a terminal, or compare the fingerprint with the machine and write it as hostKey of this host.',
      zh: 'ssh.hostKeyPolicy 为 ask。请在终端中运行 kubexm，或与机器核对指纹后写入该主机的 hostKey。',
    },
  },
  KX3029: {
    exit: 5,
    title: {
      en: 'the host key of {host} was not accepted: {seen}',
      zh: '主机 {host} 的主机密钥未被接受：{seen}',
    },
    remedy: {
      en: 'Compare the fingerprint with what this prints on the console of the machine: cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - Then run again and answer yes.',
      zh: '请与该机器控制台上以下命令的输出核对指纹：cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf - 然后再次运行并回答 yes。',
    },
  },
  ...hostErrors,
} as const satisfies Record<string, ErrorEntry>;
