/**
 * keepalived, which keeps the virtual IP on one load balancer. All start as BACKUP, so that the priority alone decides. A host whose
 * proxy is not healthy loses more priority than all hosts differ by; where no proxy is healthy the order stays.
 */
export const keepalivedConfig = `# Written by kubexm.
global_defs {
    router_id {{router}}
    enable_script_security
    script_user root
    vrrp_garp_master_refresh 60
}

vrrp_script proxy {
    script "{{script}}"
    interval 2
    timeout 3
    fall 2
    rise 2
    weight -{{weight}}
}

vrrp_instance control_plane {
    state BACKUP
    interface {{device}}
    virtual_router_id {{routerId}}
    priority {{priority}}
    advert_int 1
{{peers}}
    virtual_ipaddress {
        {{address}}
    }
{{excluded}}
    track_script {
        proxy
    }
}
`;

/** Asks the proxy of the same host whether it is healthy. socat is on every machine of a cluster. */
export const keepalivedCheck = `#!/bin/sh
# Written by kubexm: whether the proxy on this host is healthy.
{{ask}}
`;
