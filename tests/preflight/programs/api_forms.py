"""Forms of torch's API: each line that moves or reads, and beside it those that do not."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
model = nn.Linear(4, 4).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
host = torch.randn(4, 4)
host_rows = torch.tensor([0, 2])
array = np.ones(4, dtype=np.float32)
for _step in range(4):
    x = torch.randn(4, 4, device="cuda")
    y = x.clone()
    rows = torch.zeros(4, dtype=torch.long, device="cuda")
    number = x.sum()
    # Reads of a number.
    number.item()  #! scalar_read
    float(number)  #! scalar_read
    int(rows[0])  #! scalar_read
    complex(number)  #! scalar_read
    list(range(rows[1]))  #! scalar_read
    x[rows[0]]  #! scalar_read
    x[: rows[0]]  #! scalar_read
    f"{number:.2f}"  #! scalar_read
    torch.full((2,), number)  #! scalar_read
    x.add(y, alpha=number)  #! scalar_read
    torch.linalg.eigvalsh(x)  #! scalar_read
    torch.linalg.inv(x)  #! scalar_read
    torch.linalg.inv_ex(x, check_errors=True)  #! scalar_read
    torch.linalg.pinv(x)  #! scalar_read
    # Branches.
    if number > 0:  #! control_flow
        pass
    assert number == number  #! control_flow
    not number  #! control_flow
    bool((x == y).all())  #! control_flow
    torch.equal(x, y)  #! control_flow
    torch.equal(x, x[:4]), torch.equal(x, x[:2])
    torch.allclose(x, y)  #! control_flow
    max([number, number])  #! control_flow
    0.5 in x  #! control_flow
    torch.is_nonzero(number)  #! control_flow
    # Sizes that the data decides.
    x[x > 0]  #! dynamic_shape
    x[x > 0] = y[x > 0]  #! dynamic_shape
    (x > 0).nonzero()  #! dynamic_shape
    (x > 0).nonzero(as_tuple=True)  #! dynamic_shape
    torch.argwhere(x)  #! dynamic_shape
    torch.unique_consecutive(rows)  #! dynamic_shape
    torch.combinations(number[None].expand(2))  #! dynamic_shape
    torch.histc(x, bins=4)  #! dynamic_shape
    x.to_sparse()  #! dynamic_shape
    # Whole tensors to the host.
    x.cpu()  #! host_read
    x.to("cpu")  #! host_read
    x.to(host)  #! host_read
    x.tolist()  #! host_read
    str(x)  #! host_read
    np.asarray(x.detach().cpu())  #! host_read
    host.clone().copy_(x)  #! host_read
    x.type(torch.float64).cpu().numpy()  #! host_read
    torch.linalg.matrix_exp(x)  #! host_read
    # Memory that goes back to the driver.
    torch.cuda.empty_cache()  #! synchronize
    # Uploads.
    torch.tensor([1, 2], device="cuda")  #! upload
    torch.as_tensor(array, device="cuda")  #! upload
    torch.from_numpy(array).cuda()  #! upload
    torch.asarray([1.0], device="cuda")  #! upload
    x.new_tensor([1.0])  #! upload
    host.to("cuda:0")  #! upload
    host.to(device="cuda", dtype=torch.float16)  #! upload
    host.to(x)  #! upload
    host.cuda()  #! upload
    x.copy_(host)  #! upload
    x[[0, 1]]  #! upload
    x[range(2)]  #! upload
    x[host_rows]  #! upload
    x[np.array([0, 1])]  #! upload
    x[[0, 1]] = 0.0  #! upload
    x[0] = torch.ones(4)  #! upload
    number.clone()[...] = 1.0  #! upload
    rows[0] = 1  #! upload
    with torch.device("cuda"):
        torch.tensor([3.0])  #! upload
    # What does neither.
    host.pin_memory().to("cuda", non_blocking=True)
    torch.zeros(3, device="cuda"), torch.full((2,), 1.0, device="cuda"), torch.zeros_like(x)
    x.new_zeros(3), x.new_full((2,), 2.0), torch.rand(3, device=x.device)
    x[0], x[1:3], x[..., None], x[rows], x[:, 0] * 2.0, x.masked_fill(x > 0, 0.0)
    x[x > 1] = 0.0
    x[0] = 1.0
    x * torch.tensor(2.0), torch.where(x > 0, x, 0.0), x.to(torch.float64), x.half().float()
    F.one_hot(rows, 4), F.cross_entropy(x, rows), x.quantile(0.5), x.topk(2), x.sort()
    host.tolist(), host.sum().item(), host[host > 0], bool(host.sum() > 0), host[[0, 1]], print(host)
    torch.linalg.inv_ex(x), torch.linalg.qr(x), torch.linalg.det(x)
    x.shape, x.device, x.dtype, x.is_cuda, len(x), x.numel(), x.type(), x.get_device(), x.stride()
    model(x).sum().backward()
    optimizer.step()
