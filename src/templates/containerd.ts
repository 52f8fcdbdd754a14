/** The unit of containerd. Pods outlive a restart of it: only its own process is stopped. */
export const containerdUnit = `[Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target local-fs.target

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart={{program}} --config {{config}}
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
{{oomScore}}
[Install]
WantedBy=multi-user.target
`;
