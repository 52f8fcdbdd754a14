/** The unit of etcd. It is up when it serves: with other members, once enough of them have met. */
export const etcdUnit = `[Unit]
Description=etcd, the store behind Kubernetes
Documentation=https://etcd.io/docs/
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
User=etcd
Group=etcd
ExecStart={{program}} --config-file {{config}}
Restart=always
RestartSec=2
TimeoutStartSec=300
LimitNOFILE={{files}}
{{oomScore}}
[Install]
WantedBy=multi-user.target
`;
