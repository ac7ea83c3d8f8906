/** Writes an agent, reads it, sends it back, and stages a call, with the client that openapi-python-client generated. */
export const PYTHON_PROGRAM = `
import sys

from trunkline_client import AuthenticatedClient
from trunkline_client.api.agents import create_agent, get_agent, update_agent
from trunkline_client.api.calls import get_call, stage_call
from trunkline_client.models import (
    CreateAgentRequest,
    Failure,
    HangUpTool,
    StageCallRequest,
    State,
    Transition,
    UpdateAgentRequest,
)

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="X-Api-Key")

greeting = State(
    name="greeting",
    tools=[HangUpTool(type_="hang_up", name="bye")],
    transitions=[Transition(condition="The user wants a table.", destination_state_name="booking")],
)
body = CreateAgentRequest(name="Desk", states=[greeting, State(name="booking")], initial_state_name="greeting")
created = create_agent.sync(client=client, body=body)
assert not isinstance(created, Failure) and created is not None, created

agent = get_agent.sync(created.data.id, client=client)
assert not isinstance(agent, Failure) and agent is not None, agent
assert isinstance(agent.data.states[0].tools[0], HangUpTool)
assert agent.data.states[0].transitions[0].destination_state_name == "booking"

agent.data.states[0].prompt = "Say hello."
updated = update_agent.sync(created.data.id, client=client, body=UpdateAgentRequest(states=agent.data.states))
assert not isinstance(updated, Failure) and updated is not None, updated
assert updated.data.version == 2 and updated.data.states[0].prompt == "Say hello."

order = StageCallRequest(from_number="+4915112345678", to_number="+493012345678", agent_id=created.data.id)
staged = stage_call.sync(client=client, body=order, sync=True)
assert not isinstance(staged, Failure) and staged is not None, staged
call = get_call.sync(staged.data.call_id, client=client)
assert not isinstance(call, Failure) and call is not None, call
assert call.data.created_at.tzinfo is not None and call.data.end_reason is None

refused = create_agent.sync(client=client, body=CreateAgentRequest(name="", states=[greeting], initial_state_name="no"))
assert isinstance(refused, Failure), refused
print(call.data.status.value, refused.error.type_.value, refused.error.details[0].field)
`;
