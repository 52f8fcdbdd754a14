/** The unit of a program of Kubernetes. One that tells systemd when it is up is waited for. */
export const kubernetesUnit = `[Unit]
Description={{title}}
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target{{after}}
StartLimitIntervalSec=0

[Service]
Type={{type}}
ExecStart={{command}}
Restart=always
RestartSec=2
TimeoutStartSec=300
LimitNOFILE=1048576

[Install]
WantedBy=multi-user.target
`;
