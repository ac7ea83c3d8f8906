{{- define "trunkline.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name }}{{ end }}
{{- end }}

{{- define "trunkline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "trunkline.labels" -}}
{{ include "trunkline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "trunkline.secret" -}}
{{ .Values.secret.existing | default (include "trunkline.name" .) }}
{{- end }}

{{/* What the schema cannot say: settings that contradict each other. */}}
{{- define "trunkline.check" -}}
{{- $network := .Values.network }}
{{- $ports := sub $network.rtpPorts.last $network.rtpPorts.first }}
{{- if and .Values.storage.sharedClaim .Values.settings.STORAGE_URL }}{{ fail "storage.sharedClaim: leave it empty with settings.STORAGE_URL, for which each replica keeps its own spool" }}{{ end }}
{{- if le $ports 0 }}{{ fail "network.rtpPorts: last must be greater than first" }}{{ end }}
{{- if and .Values.secret.existing .Values.secret.values }}{{ fail "secret: set existing or values, not both" }}{{ end }}
{{- if eq $network.mode "service" }}
{{- if gt (int .Values.replicas) 1 }}{{ fail "network.mode service: a Service would send media to the wrong replica; set replicas to 1 or network.mode to host" }}{{ end }}
{{- if ge $ports 200 }}{{ fail "network.mode service: a Service lists each port; set network.rtpPorts to at most 200 ports" }}{{ end }}
{{- if not $network.externalAddress }}{{ fail "network.mode service: set network.externalAddress to the address of the load balancer" }}{{ end }}
{{- end }}
{{- if gt (int .Values.replicas) 1 }}
{{- if not (or .Values.storage.sharedClaim .Values.settings.STORAGE_URL) }}{{ fail "several replicas: set settings.STORAGE_URL or storage.sharedClaim, for recordings, tapes and knowledge files" }}{{ end }}
{{- if not .Values.secret.existing }}
{{- range tuple "DATABASE_URL" "TRUNKLINE_MASTER_KEY" }}
{{- if not (hasKey $.Values.secret.values .) }}{{ fail (printf "several replicas: set secret.values.%s, which they share" .) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
