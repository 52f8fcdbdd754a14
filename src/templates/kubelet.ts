/** The unit of the kubelet. It comes up only once kubeadm has written its configuration, and waits for that. */
export const kubeletUnit = `[Unit]
Description=kubelet: the Kubernetes node agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target {{runtime}}

[Service]
ExecStart={{program}}
Restart=always
StartLimitInterval=0
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

/** What kubeadm expects of the unit: the files that it writes are what the kubelet reads. */
export const kubeletKubeadmDropIn = `[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=
ExecStart={{program}} $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS
`;
