//! `whittle agent --kubelet` with a fake kubelet and a JVM in the control group of a pod.

use crate::agent::Host;
use crate::support::tables::kernel_jdks;
use crate::support::{Running, Workspace};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use whittle_model::Manifest;
use whittle_testkit::{not_run, workloads_class_path};

const POD_UID: &str = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
const CONTAINER_ID: &str = "4f3d8c1b2a90e7f65d4c3b2a190817263544f3d8c1b2a90e7f65d4c3b2a19081";

/// A kubelet with TLS, as kubelets make their certificates themselves: a certificate for the node, from an authority of its own.
const FAKE_KUBELET: &str = r#"
import http.server, ssl, sys
folder, right = sys.argv[1:]
class Kubelet(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_right = self.headers.get("Authorization") == "Bearer " + right and self.path == "/pods"
        body = open(folder + "/pods.json", "rb").read() if is_right else b"Unauthorized"
        self.send_response(200 if is_right else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Kubelet)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/node.crt", folder + "/node.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"#;

struct FakeKubelet {
    child: Child,
    address: String,
}

impl FakeKubelet {
    /// Starts a kubelet that knows the pod and accepts the token `right`. Its certificate is from `authority.crt`.
    fn start(workspace: &Workspace) -> Self {
        make_certificates(workspace);
        let pods = serde_json::json!({"kind": "PodList", "apiVersion": "v1", "items": [{
            "metadata": {
                "name": "shop-7d9f8b6c5d-x2k4p", "namespace": "front", "uid": POD_UID,
                "labels": {"app": "shop", "app.kubernetes.io/version": "1.2", "pod-template-hash": "7d9f8b6c5d"}},
            "status": {"containerStatuses": [{"name": "web", "containerID": format!("containerd://{CONTAINER_ID}")}]}}]});
        std::fs::write(workspace.path("pods.json"), pods.to_string()).unwrap();
        let python = std::env::var("WHITTLE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut command = Command::new(python);
        command.args(["-c", FAKE_KUBELET]).arg(workspace.path("")).arg("right");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, address: format!("https://localhost:{}", port.trim()) }
    }
}

impl Drop for FakeKubelet {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn make_certificates(workspace: &Workspace) {
    let script = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=host-ca -keyout ca.key -out authority.crt &&
        openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout node.key -out node.csr &&
        echo subjectAltName=DNS:localhost > names &&
        openssl x509 -req -in node.csr -CA authority.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out node.crt";
    let made = Command::new("sh").args(["-c", script]).current_dir(workspace.path("")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// The control groups of the pod and its container, removed at the end.
struct PodGroup(Vec<PathBuf>);

impl PodGroup {
    /// None: control groups cannot be made here.
    fn new() -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
        let mount =
            mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>()).find(|fields| fields[2] == "cgroup2")?;
        let pods = PathBuf::from(mount[1]).join(format!("kubepods-test-{}", std::process::id()));
        let pod = pods.join("burstable").join(format!("pod{POD_UID}"));
        let folders = vec![pod.join(CONTAINER_ID), pod.clone(), pods.join("burstable"), pods];
        std::fs::create_dir_all(&folders[0]).ok()?;
        Some(Self(folders))
    }

    fn add(&self, process_id: u32) {
        std::fs::write(self.0[0].join("cgroup.procs"), process_id.to_string()).unwrap();
    }
}

impl Drop for PodGroup {
    fn drop(&mut self) {
        self.0.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
}

/// A host with a JVM in the pod. None: this machine cannot have it.
fn host_with_pod(name: &str) -> Option<(Host, PodGroup, Running)> {
    let jdk = kernel_jdks().into_iter().next_back()?;
    let Some(group) = PodGroup::new() else {
        not_run("needs control groups 2 that can be made");
        return None;
    };
    let host = Host::new(name);
    let mut command = Command::new(jdk.java());
    command.arg(&host.mark).args(["-cp", &workloads_class_path(), "whittle.workloads.truth.Spin", "--seconds", "120"]);
    let java = Running::java(command);
    group.add(java.0.id());
    Some((host, group, java))
}

fn label<'a>(manifest: &'a Manifest, name: &str) -> &'a str {
    manifest.labels.get(name).map_or("", String::as_str)
}

#[test]
fn a_pod_gets_its_names_as_soon_as_the_kubelet_answers() {
    let Some((host, _group, _java)) = host_with_pod("pods") else { return };
    let kubelet = FakeKubelet::start(&host.workspace);
    std::fs::write(host.path("token"), "wrong\n").unwrap();
    let (token, authority) = (host.path("token"), host.path("authority.crt"));
    let [token, authority] = [&token, &authority].map(|path| path.to_str().unwrap());
    let options =
        ["--segment", "5s", "--kubelet", &kubelet.address, "--kubelet-token", token, "--kubelet-ca", authority];
    let agent = host.agent(&options);
    host.wait_for("a segment", || host.landed_count() >= 1);
    // As Kubernetes does, which replaces the token every hour.
    std::fs::write(host.path("token"), "right\n").unwrap();
    let manifests = || {
        let segments = host.landed().into_values().flatten();
        segments.map(|segment| segment.manifest).collect::<Vec<_>>()
    };
    host.wait_for("a segment with names", || manifests().iter().any(|one| label(one, "service") == "shop"));
    let said = agent.end("TERM");
    let mut manifests = manifests();
    manifests.sort_by_key(|manifest| manifest.segment.unwrap().sequence);
    let (first, last) = (manifests.first().unwrap(), manifests.last().unwrap());
    let names = ["service", "pod", "container", "container_id", "pod_uid", "qos"];
    let of_group = ["whittle.workloads.truth.Spin", "", "", "4f3d8c1b2a90", POD_UID, "burstable"];
    assert_eq!(names.map(|name| label(first, name)), of_group, "{said}");
    let of_kubelet = ["shop", "shop-7d9f8b6c5d-x2k4p", "web", "", POD_UID, "burstable"];
    assert_eq!(names.map(|name| label(last, name)), of_kubelet, "{said}");
    assert_eq!(["namespace", "version", "app"].map(|name| label(last, name)), ["front", "1.2", "shop"]);
    let denied = said.lines().filter(|line| line.contains("it does not accept the token (401)")).count();
    let again = said.lines().filter(|line| line.contains("the kubelet answers again")).count();
    assert_eq!((denied, again), (1, 1), "{said}");
    assert!(!said.contains("right") && !said.contains("wrong"), "messages contain no token: {said}");
}

#[test]
fn a_kubelet_with_another_certificate_gets_no_token() {
    let Some((host, _group, _java)) = host_with_pod("certificate") else { return };
    let kubelet = FakeKubelet::start(&host.workspace);
    let other = Workspace::new();
    make_certificates(&other);
    std::fs::write(host.path("token"), "right").unwrap();
    let (token, authority) = (host.path("token"), other.path("authority.crt"));
    let [token, authority] = [&token, &authority].map(|path| path.to_str().unwrap());
    let options =
        ["--segment", "5s", "--kubelet", &kubelet.address, "--kubelet-token", token, "--kubelet-ca", authority];
    let agent = host.agent(&options);
    host.wait_for("a segment", || host.landed_count() >= 1);
    let said = agent.end("TERM");
    assert!(said.contains("its certificate is not accepted") && said.contains("--kubelet-ca"), "{said}");
    let landed = host.landed();
    let manifest = &landed.values().next().unwrap()[0].manifest;
    assert_eq!((label(manifest, "pod_uid"), label(manifest, "pod")), (POD_UID, ""));
}
